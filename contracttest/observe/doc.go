// Package observe has what tests of contracts need to see and to do with a built
// tool, beyond what callers of the tool get. Package verify rests on it. Tool
// authors use package verify or contracttest; this package is for authors of
// further kinds of tests.
//
// The package is experimental until v1: its API can change in a minor version.
//
// # Arguments
//
// [ArgumentsOf] reads the input schema of a tool. [Arguments.Valid] draws
// arguments that the tool accepts, and [Arguments.Broken] draws arguments that
// break exactly one keyword. A [Source] makes their choices.
//
// The tool judges every value before a test gets it. A schema that accepts none
// of the drawn values is an error that names the keyword, and [Arguments.Gaps]
// names the parts of a schema that no accepted value has.
//
// # Calls
//
// [Observed] returns a copy of a tool, whose functions run through those of an
// [Observer]. A guard must call the copy as any other tool: nothing in this
// package calls a handler.
package observe
