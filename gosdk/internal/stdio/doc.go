// Package stdio runs a session of the official SDK over two streams and answers
// every request it reads.
//
// The SDK's own connection ends the session at the first line that is not JSON
// (mcp/transport.go:536), and the end of the input cancels running requests
// (internal/jsonrpc2/conn.go:552). A [Connection] answers bad lines itself,
// bounds the length of lines and the number of concurrent calls, and holds back
// the end of the input until all requests are answered.
package stdio
