// Package native converts tools, arguments and results between the types of
// mcp-go and those of packages contract and adapter.
package native
