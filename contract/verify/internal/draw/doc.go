// Package draw draws arguments from the JSON Schema of a tool, for tests that
// try many of them.
//
// [New] reads a schema. [Schema.Valid] draws values that it accepts, and
// [Schema.Broken] draws values that break exactly one keyword. A [Source] makes
// their choices.
//
// The validator of the tool judges every value before a test gets it. A schema
// that accepts none of the drawn values is an error that names the keyword, and
// [Schema.Gaps] names the parts of a schema that no accepted value has.
package draw
