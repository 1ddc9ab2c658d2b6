package agent

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/agent/client"
)

// A Dialer opens sessions with one MCP server. The agent dials once in
// [Connect], and again after a session is lost. A [client.Client] is a Dialer.
//
// An implementation must be safe for concurrent use.
type Dialer interface {
	// Dial opens a session and finishes its handshake. The session declares
	// exactly the capabilities of person, and gives it the questions of the
	// server.
	Dial(ctx context.Context, person client.Person) (client.Session, error)
}
