// Package sdks_test has the tests of what every adapter of an SDK does with the
// servers, tools and clients of its SDK: register, wrap, ask a person, and serve
// over stdio. Each test runs over every [sdk]. What is said on the wire is the
// matter of the rules in internal/tests/adapters; what only one SDK has is
// tested beside its adapter.
//
// An adapter of another SDK gets these tests with a value for [all].
package sdks_test
