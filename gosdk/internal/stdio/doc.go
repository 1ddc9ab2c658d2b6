// Package stdio runs a session of the official SDK over two streams so that no
// request that it read is left without an answer.
//
// The SDK's own connection ends the session at the first line that is not JSON
// (mcp/transport.go:536), and the end of the input cancels what is running
// (internal/jsonrpc2/conn.go:552). A [Connection] answers bad lines itself,
// bounds the lines and the calls that run at once, and holds the end of the
// input back until all requests are answered.
package stdio
