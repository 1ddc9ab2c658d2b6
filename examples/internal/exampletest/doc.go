// Package exampletest drives the server examples in their own tests, as
// processes that clients know nothing of: over stdio and HTTP, in both protocol
// eras.
//
//	func TestMain(m *testing.M) { exampletest.Main(m, run) }
package exampletest
