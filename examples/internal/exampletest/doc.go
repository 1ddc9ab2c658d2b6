// Package exampletest drives the server examples in their tests. The servers
// run as processes of their own, over stdio and HTTP, in both protocol eras.
//
//	func TestMain(m *testing.M) { exampletest.Main(m, run) }
package exampletest
