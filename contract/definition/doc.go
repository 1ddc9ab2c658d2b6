// Package definition reads and checks documents of the MCP Tool Definition
// Specification 1.0.0. Such a document describes one thing with several
// capabilities, and each capability is one tool.
//
// Read a document with [Parse], then attach handlers to its capabilities with
// Bind of package contract:
//
//	d, err := definition.Parse(document)
//	add, err := contract.Bind(d, "add", add).Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
//
// [Errors] lists every mistake in a document, each with its position. [Schema]
// is the JSON Schema of such documents, for editors.
package definition
