// Package stdio runs a line-based JSON-RPC server over two streams so that no
// request that it read is left without an answer.
//
// mcp-go drops queued calls and cancels running ones as soon as its input ends,
// drops a last line that has no line break, and reads lines of any length. So
// [Serve] stands between the streams and mcp-go: it bounds the lines, counts
// the open requests, and holds the end of the input back until all are
// answered.
//
// The package imports no SDK.
package stdio
