// Package schema compiles JSON Schemas (draft 2020-12), fills in their defaults
// and reports how a value violates them.
//
// [Compile] makes a [Schema] of a document, which package derive derived or an
// author wrote. Fill and Validate of a Schema run on every call. An author's
// mistakes are [Problem] values, all of them at once; a value's mistakes are
// [Violation] values. Neither ever holds a value. A [LenientReader] reads
// arguments in other forms than the schema demands.
package schema
