// Package tests is the root of a module that nobody can get. It has the tests of
// the other modules that need internal packages of the root.
package tests
