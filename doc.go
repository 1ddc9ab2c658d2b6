// Package toolcontract is the root of the module. There is nothing to import
// here.
//
// Declare a tool with package contract, enforce its contract with package
// guard, serve it with package mcpgo or gosdk, and test it with package
// contracttest. The manual in the docs folder begins with docs/quickstart.md;
// docs/architecture.md is a map of the code, and examples/tour shows every kind
// of outcome.
package toolcontract
