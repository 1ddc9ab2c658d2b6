package exampleserver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/emails/mail"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
)

func TestPrincipal_FindsTheHolderOfAToken(t *testing.T) {
	t.Parallel()
	tools, err := new(mail.Post).Tools()
	require.NoError(t, err)
	all := []string{"accounts:admin", "contacts:read", "emails:draft", "emails:send", "files:read", "files:share", "secrets:read"}
	assert.Equal(t, all, contract.PermissionsOf(tools...))

	tests := []struct {
		token, subject string
		permissions    []string
		human, fresh   bool
	}{
		{"alice", "alice", all, false, false},
		{"alice-mfa", "alice", all, false, true},
		{"bob", "bob", []string{"contacts:read"}, false, false},
		{"auditor", "auditor", []string{"contracts:audit"}, true, false},
	}
	find := exampleserver.Principal(tools)
	for _, tt := range tests {
		t.Run(tt.token, func(t *testing.T) {
			t.Parallel()
			p, err := find(t.Context(), tt.token)
			require.NoError(t, err)
			assert.Equal(t, tt.subject, p.Subject)
			assert.Equal(t, tt.permissions, p.Permissions)
			assert.Equal(t, tt.human, p.Human)
			assert.Equal(t, tt.fresh, p.ACR != "" && time.Since(p.AuthTime) < time.Minute)
		})
	}
	for _, token := range []string{"", "Alice", "alice ", "mallory"} {
		t.Run("no principal for "+token, func(t *testing.T) {
			t.Parallel()
			p, err := find(t.Context(), token)
			require.Error(t, err)
			assert.True(t, p.IsAnonymous())
		})
	}
}
