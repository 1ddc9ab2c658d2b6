// Package envelope reads the line of a tools/call in one pass. mcp-go reads it
// four times.
//
// [Read] accepts only lines that mcp-go reads as exactly the same call. mcp-go
// uses encoding/json, which ignores the case of names, takes the last of equal
// members, replaces invalid UTF-8, and drops unknown members. Read accepts no
// line for which any of this matters, and none that mcp-go refuses. A line that
// Read does not accept is not an error: the caller gives it to mcp-go.
//
// The package imports no SDK.
package envelope
