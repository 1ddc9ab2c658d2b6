package mcpgo_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

const lookup = "operations_get"

// recorded returns a server with the lookup and a tool whose calls are recorded.
func recorded(t *testing.T, n *tools) (*kit, *contract.Tool) {
	t.Helper()
	note := n.Note(nil).Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}).MustBuild()
	k := &kit{t: t}
	var err error
	k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithOperations())
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(note))...)
	require.NoError(t, err)
	k.serveHTTP()
	return k, note
}

// A server whose tools are replaced keeps the tool of its guard.
func TestReplace_KeepsTheLookupOfOperations(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k, note := recorded(t, n)
	c := k.client(modern, "alice")
	require.Equal(t, []string{"notes.write", lookup}, listedNames(t, c))
	id := sdktest.Outcome(t, k.call(modern, "alice", "notes.write", `{"text":"a"}`)).OperationID
	require.NoError(t, mcpgo.Replace(k.server, n.Add().MustBuild()))
	assert.Equal(t, []string{"calc.add"}, listedNames(t, c), "no call of the others is recorded")
	require.NoError(t, mcpgo.Replace(k.server))
	assert.Empty(t, listedNames(t, c))
	require.NoError(t, mcpgo.Replace(k.server, note))
	require.NoError(t, mcpgo.Verify(k.server))
	assert.Equal(t, []string{"notes.write", lookup}, listedNames(t, c))
	assert.Contains(t, firstText(t, k.call(modern, "alice", lookup, `{"operationId":"`+id+`"}`)), `"succeeded"`)
}

// The tools of a session come beside the lookup of its server.
func TestRegisterSession_HasNoLookupOfItsOwn(t *testing.T) {
	t.Parallel()
	k, _ := recorded(t, &tools{})
	mine, runs := &session{id: "mine"}, 0
	require.NoError(t, k.server.RegisterSession(t.Context(), mine))
	require.NoError(t, mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(scoped("room.read", &runs))))
	assert.NotContains(t, mine.GetSessionTools(), lookup)
	require.NoError(t, mcpgo.Verify(k.server))
	taken := mcpgo.RegisterSession(k.server, "mine", mcpgo.WithTools(wordTool(lookup, "x").FlatName().MustBuild()))
	assert.Equal(t, []string{"protect.duplicate " + lookup}, sdktest.Rules(taken))
}
