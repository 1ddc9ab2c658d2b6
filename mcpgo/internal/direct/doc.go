// Package direct answers calls of a stdio session past mcp-go's HandleMessage,
// which reads every message four times. Most calls are answered here, in about
// half the time and with the same bytes. [Session] is the only door.
//
// A call is taken only if HandleMessage would add nothing to it:
//
//   - The server is private, so it has no hooks, middleware or filters of its
//     author; see [unexported.Privacy].
//   - mcp-go would read the same call from the line; see line.go.
//   - The tool is called by its listed name.
//   - The tool does not ask the client for input in rounds, which mcp-go would
//     carry out.
package direct
