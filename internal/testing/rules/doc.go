// Package rules runs the named rules of a test suite for implementations of an
// interface, as [testing/slogtest] does for handlers.
package rules
