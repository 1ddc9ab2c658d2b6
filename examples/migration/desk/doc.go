// Package desk is an order desk in memory, with handlers for mcp-go. The
// servers of examples/migration share it.
package desk
