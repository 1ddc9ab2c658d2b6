// Package sdks_test tests what every adapter does with the servers, tools and
// clients of its SDK: it registers and wraps tools, asks a person, and serves
// over stdio. Each test runs over every [sdk]. The rules in
// internal/tests/adapters cover what goes over the wire, and what only one SDK
// has is tested beside its adapter.
//
// Another SDK gets these tests by adding a value to [all].
package sdks_test
