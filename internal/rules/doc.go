// Package rules runs the named rules of a test suite for implementations of an
// interface, as [testing/slogtest] does for handlers. It is the part that the
// suites for sinks and for stores have in common.
package rules
