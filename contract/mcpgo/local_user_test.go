package mcpgo_test

import (
	"context"
	"os/user"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
)

func TestLocalUserIsWhoStartedTheProcess(t *testing.T) {
	t.Parallel()
	permissions := []string{"a:b", "c:d"}
	find := mcpgo.LocalUser(permissions...)
	permissions[0] = "changed"
	p, err := find(context.Background())
	require.NoError(t, err)
	assert.Equal(t, mcpgo.LocalIssuer, p.Issuer)
	assert.Equal(t, []string{"a:b", "c:d"}, p.Permissions)
	assert.False(t, p.Human, "a client is an agent")
	if u, err := user.Current(); err == nil {
		assert.Equal(t, u.Username, p.Subject)
	}
	p.Permissions[0] = "changed"
	again, err := find(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []string{"a:b", "c:d"}, again.Permissions)

	p, err = mcpgo.LocalUser()(context.Background())
	require.NoError(t, err)
	assert.Empty(t, p.Permissions)
	assert.False(t, p.IsAnonymous())
}

// Over HTTP everybody would be the local user.
func TestLocalUserServesNoHTTPCallers(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.all())
	g, err := guard.New(guard.WithPrincipal(mcpgo.LocalUser("notes:write")), guard.WithAudit(k.log))
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("s", "1.0.0", g, mcpgo.Tools(n.note(nil).MustBuild()))
	require.NoError(t, err)
	k.serveHTTP()
	eachEra(t, func(t *testing.T, e era) {
		assertRefused(t, k.call(e, "", "notes.write", `{"text":"x"}`), "unauthenticated")
		assert.Empty(t, listedNames(t, k.client(e, "")))

		inside := k.inProcess(e)
		assert.Equal(t, []string{"notes.write"}, listedNames(t, inside))
		result, err := callTool(t.Context(), inside, "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.False(t, result.IsError)
	})
	k.post(legacy, "", "tools/call", "", []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`))
	require.NoError(t, g.Close(t.Context()))
	for _, event := range k.log.events {
		if event.Code == guard.CodeUnparsable || event.Code == contract.CodeUnauthenticated {
			assert.Empty(t, event.Principal, event.Code)
		}
	}
}
