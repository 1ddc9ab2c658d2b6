// Package tests is the root of a module without versions. It has the tests of
// other modules that need internal packages of the library.
package tests
