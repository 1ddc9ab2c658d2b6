// Package sdks_test tests what every adapter does with its SDK's servers, tools
// and clients: it registers and wraps tools, asks a person, and serves over
// stdio. Each test runs over every [sdk]. What goes over the wire is covered by
// the rules in internal/tests/adapters, and what only one SDK has is tested
// beside its adapter.
//
// To run these tests over another SDK, add a value to [all].
package sdks_test
