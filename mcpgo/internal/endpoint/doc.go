// Package endpoint serves an mcp-go server over streamable HTTP, and ends the
// sessions that its clients leave open.
package endpoint
