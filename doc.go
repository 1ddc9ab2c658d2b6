// Package toolcontract is the root of the module and holds nothing to import.
//
// Declare a tool with [github.com/toolcontract/toolcontract/contract], serve it
// with [github.com/toolcontract/toolcontract/mcpgo]. The manual in the
// folder docs begins with docs/quickstart.md, and examples/tour shows every
// kind of outcome.
package toolcontract
