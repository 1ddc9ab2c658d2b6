// Package schema compiles JSON Schemas (draft 2020-12), fills in their defaults
// and reports how a value violates them.
//
// [Compile] turns a document, derived by package derive or written by an
// author, into a [Schema], whose Fill and Validate run on every call. An
// author's mistakes are [Problem] values, reported all at once; a value's
// mistakes are [Violation] values. Neither ever contains the value itself. A
// [LenientReader] reads arguments whose form differs from what the schema
// demands.
package schema
