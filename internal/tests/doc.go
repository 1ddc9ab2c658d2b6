// Package tests is the root of an unversioned module. It has the tests of other
// modules that need the library's internal packages.
package tests
