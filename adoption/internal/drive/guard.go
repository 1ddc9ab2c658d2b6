package drive

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// token is the only bearer token that is valid.
const token = "alice"

// Guard returns a guard that knows one caller, alice, with the permissions, and
// the audit log that it writes. The guard is closed when the test ends.
func Guard(t *testing.T, permissions ...string) (*guard.Guard, *Log) {
	t.Helper()
	l := &Log{t: t}
	g, err := guard.New(guard.WithAudit(&l.log), guard.WithPrincipal(mcpgo.Bearer(
		func(_ context.Context, got string) (guard.Principal, error) {
			if got != token {
				return guard.Principal{}, errors.New("unknown token")
			}
			return guard.Principal{Issuer: "test", Subject: "alice", Permissions: permissions}, nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	l.guard = g
	return g, l
}

// A Log is the audit log of a guard.
type Log struct {
	t     *testing.T
	guard *guard.Guard
	log   audit.Recorder
}

// Events closes the guard, which writes the events that wait, and returns the
// events of some kinds.
func (l *Log) Events(kinds ...audit.Kind) []audit.Event {
	l.t.Helper()
	require.NoError(l.t, l.guard.Close(l.t.Context()))
	return l.log.Events(kinds...)
}
