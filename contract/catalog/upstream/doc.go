// Package upstream is a client of one MCP server for gateways. It speaks
// JSON-RPC itself, in both versions of the protocol and over stdio and
// streamable HTTP, so it needs no SDK. It bounds everything that the server
// sends.
//
// The package is experimental until v1: its API can change in a minor version.
package upstream
