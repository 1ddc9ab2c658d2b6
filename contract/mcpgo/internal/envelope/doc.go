// Package envelope reads the line of a tools/call in one pass, which mcp-go
// reads four times.
//
// [Read] only accepts. mcp-go reads an accepted line as exactly the same call:
// with encoding/json, which ignores the case of names, takes the last of equal
// members, replaces invalid UTF-8, and drops unknown members. A line for which
// any of this matters is not accepted, and neither is one that mcp-go refuses.
// Such a line is no error: mcp-go reads it.
//
// The package imports no SDK.
package envelope
