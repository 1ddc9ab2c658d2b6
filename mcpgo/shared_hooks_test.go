package mcpgo_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// sharing returns two servers with one Hooks value and their own contracts.
func sharing(t *testing.T) (one, other *kit) {
	t.Helper()
	hooks := &server.Hooks{}
	serve := func() *kit {
		return adopt(t, existing(0, server.WithHooks(hooks), server.WithElicitation()),
			[]*contract.Tool{(&tools{}).Add().ConfirmAlways().MustBuild()})
	}
	return serve(), serve()
}

// begin starts a session of a client in this process.
func (k *kit) begin(id, capabilities string) context.Context {
	k.t.Helper()
	session := server.NewInProcessSessionWithHandlers(id, nil, &person{answer: approves}, nil)
	require.NoError(k.t, k.server.RegisterSession(k.t.Context(), session))
	ctx := k.server.WithContext(k.t.Context(), session)
	if capabilities != "" {
		handleAs(k.t, ctx, k.server, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize",`+
			`"params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"},"capabilities":%s}}`, capabilities))
	}
	return ctx
}

// Sessions of two servers can have one id. A session of one server does not
// change what the other knows about its own.
func TestSharedHooks_SessionOfAnotherServerChangesNoCapability(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		capabilities string
		status       contract.Status
	}{
		"a client that can be asked": {`{"elicitation":{}}`, contract.StatusOK},
		"a client that cannot":       {`{}`, contract.StatusError},
		"no initialize":              {"", contract.StatusError},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := sharing(t)
			ctx := one.begin("same", test.capabilities)
			asked := func() {
				assert.Equal(t, test.status, sdktest.Outcome(t, handleAs(t, ctx, one.server, callOf("calc.add", `{"a":1}`))).Status)
			}
			asked()
			other.begin("same", "")
			asked()
			other.server.UnregisterSession(t.Context(), "same")
			asked()
			other.begin("same", `{"elicitation":{}}`)
			asked()

			one.server.UnregisterSession(t.Context(), "same")
			ctx = one.begin("same", "")
			assert.Equal(t, contract.CodeConfirmationRequired, sdktest.Outcome(t, handleAs(t, ctx, one.server, callOf("calc.add",
				`{"a":1}`))).Code, "a new session has declared nothing")
		})
	}
}

func TestSharedHooks_SessionOfAnotherServerIsUnknown(t *testing.T) {
	t.Parallel()
	one, other := sharing(t)
	require.NoError(t, other.server.RegisterSession(t.Context(), &session{id: "theirs"}))
	for name, tools := range map[string]mcpgo.Option{
		"a forbidden tool": mcpgo.WithTools(forbidden("keys.delete")), "no tool": mcpgo.WithTools(),
	} {
		assert.ErrorIs(t, mcpgo.RegisterSession(one.server, "theirs", tools), server.ErrSessionNotFound, name)
		assert.NoError(t, mcpgo.RegisterSession(other.server, "theirs", tools), name)
	}
}

func TestSharedHooks_NamesOfASessionStayReserved(t *testing.T) {
	t.Parallel()
	one, other := sharing(t)
	mine := &session{id: "same"}
	require.NoError(t, one.server.RegisterSession(t.Context(), mine))
	require.NoError(t, mcpgo.RegisterSession(one.server, "same", mcpgo.WithTools(forbidden("keys.delete"))))
	require.NoError(t, other.server.RegisterSession(t.Context(), &session{id: "same"}))
	other.server.UnregisterSession(t.Context(), "same")

	x, intruded := intruder("keys.delete")
	require.NoError(t, one.server.AddSessionTools("same", x))
	ctx := one.server.WithContext(t.Context(), mine)
	assertUnknown(t, handleAs(t, ctx, one.server, callOf("keys.delete", `{}`)), "keys.delete")
	assert.Zero(t, intruded.Load())
	assert.Equal(t, []string{"verify.shadowed keys.delete"}, sdktest.Rules(mcpgo.Verify(one.server)))
	assert.NoError(t, mcpgo.Verify(other.server))
}
