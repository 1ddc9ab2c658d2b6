// Package session reads what a context of mcp-go says about the session of a
// call, and changes it for handlers.
package session
