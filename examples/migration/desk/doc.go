// Package desk is an order desk whose orders live in memory, with its handlers
// as mcp-go has them. The servers of examples/migration share it.
package desk
