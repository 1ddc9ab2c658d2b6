// Package drive calls the tools of an adopted server as a client does: over
// HTTP, with mcp-go's client, as one authenticated caller.
package drive
