// Package toolcontract is the root of the module and holds nothing to import.
//
// Declare a tool with package contract, enforce its contract with package
// guard, serve it with package mcpgo or gosdk, and test it with package
// contracttest. The manual in the folder docs begins with docs/quickstart.md,
// docs/architecture.md is the map for people who look around, and examples/tour
// shows every kind of outcome.
package toolcontract
