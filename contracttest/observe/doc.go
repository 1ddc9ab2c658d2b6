// Package observe lets tests of contracts see and do more with a built tool
// than its callers can. Package verify is built on it. Tool authors should use
// package verify or contracttest; this package is for authors of other kinds of
// tests.
//
// The package is experimental until v1: its API can change in a minor version.
//
// # Arguments
//
// [ArgumentsOf] reads a tool's input schema. [Arguments.Valid] draws arguments
// that the tool accepts, and [Arguments.Broken] draws arguments that break
// exactly one keyword. A [Source] makes the choices.
//
// The tool judges every value before a test gets it. If a schema accepts none
// of the drawn values, that is an error that names the keyword.
// [Arguments.Gaps] names the parts of a schema that no accepted value has.
//
// # Calls
//
// [Observed] returns a copy of a tool whose functions run through those of an
// [Observer]. A guard must call the copy, as with any other tool: nothing in
// this package calls a handler.
package observe
