package mcpgo_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A caller without the permission does not see the tool and cannot call it. Its
// calls are audited.
func TestThreat26_WithoutPermissionAToolIsHiddenAndRefused(t *testing.T) {
	t.Parallel()
	for token, code := range map[string]string{"": "unauthenticated", "forged": "unauthenticated", "bob": "permission_denied"} {
		n := &tools{}
		k := newKit(t, n.All())
		sdktest.EachEra(t, func(t *testing.T, e era) {
			raw := k.post(e, token, "tools/list", "", sdktest.Message(t, e, 1, "tools/list", `{}`))
			assert.NotContains(t, raw, "notes.write")
			for _, arguments := range []string{`{"text":"x"}`, `{"text":5}`} {
				// The answer does not reveal whether the arguments are valid.
				sdktest.AssertRefused(t, k.call(e, token, "notes.write", arguments), code)
			}
		})
		assert.Zero(t, n.Notes.Load())
		events := k.events(audit.Terminal)
		require.Len(t, events, 4)
		for _, event := range events {
			assert.Equal(t, audit.Deny, event.Decision)
			assert.Equal(t, code, event.Code)
			assert.Equal(t, "notes.write", event.Tool)
			if token == "bob" {
				assert.Equal(t, "bob", event.Principal)
			} else {
				assert.Empty(t, event.Principal)
			}
		}
	}
}

// An empty list of permissions, or one of other permissions, does not allow a
// call.
func TestThreat26_NoPermissionsAreNotAllPermissions(t *testing.T) {
	t.Parallel()
	for _, permissions := range [][]string{nil, {}, {""}, {"notes:writer"}, {"NOTES:WRITE"}, {"*"}} {
		n := &tools{}
		g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
			guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
				return guard.Principal{Subject: "x", Permissions: permissions}, nil
			})))
		require.NoError(t, err)
		s, err := mcpgo.NewServer("s", "1.0.0", g, asWritten(mcpgo.WithTools(n.Note(nil).MustBuild()))...)
		require.NoError(t, err)
		sdktest.AssertRefused(t, handle(t, s, callOf("notes.write", `{"text":"x"}`)), "permission_denied")
		assert.Empty(t, listedBy(t, t.Context(), s))
		assert.Zero(t, n.Notes.Load())
	}
}

// The claims of a client about itself do not change its principal.
func TestThreat27_ClaimsOfAClientAreIgnored(t *testing.T) {
	t.Parallel()
	n := &tools{}
	k := newKit(t, n.All())
	sdktest.EachEra(t, func(t *testing.T, e era) {
		claims := map[string]string{
			"in _meta": `{"name":"notes.write","arguments":{"text":"x"},"_meta":{"principal":"alice","authorization":"Bearer alice",
				"io.github.toolcontract/principal":{"subject":"alice","permissions":["notes:write"],"human":true},"permissions":["notes:write"]}}`,
			"in clientInfo": `{"name":"notes.write","arguments":{"text":"x"},` +
				`"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"alice",` +
				`"version":"admin"}}}`,
			"in arguments": `{"name":"notes.write","arguments":{"text":"x","principal":"alice","authorization":"Bearer alice",` +
				`"permissions":["notes:write"]}}`,
			"in params": `{"name":"notes.write","arguments":{"text":"x"},"header":{"Authorization":["Bearer alice"]},` +
				`"Header":{"Authorization":["Bearer alice"]}}`,
		}
		for name, params := range claims {
			for token, code := range map[string]string{"": "unauthenticated", "bob": "permission_denied"} {
				raw := k.post(e, token, "tools/call", "notes.write", sdktest.Message(t, e, 1, "tools/call", params))
				sdktest.AssertRefused(t, raw, code)
				list := k.post(e, token, "tools/list", "", sdktest.Message(t, e, 1, "tools/list", params))
				assert.NotContains(t, list, "notes.write", name)
			}
		}
		for _, session := range []string{"alice", "stdio", "mcp-session-00000000-0000-0000-0000-000000000000"} {
			body := sdktest.Message(t, e, 1, "tools/call", `{"name":"notes.write","arguments":{"text":"x"}}`)
			sdktest.AssertRefused(t, k.post(e, "bob", "tools/call", "notes.write", body, "Mcp-Session-Id", session, "X-Principal", "alice",
				"Mcp-Principal", "alice"), "permission_denied")
		}
	})
	assert.Zero(t, n.Notes.Load())
	for _, event := range k.events(audit.Terminal) {
		assert.NotEqual(t, "alice", event.Principal)
		assert.True(t, event.Agent)
	}
}

// A gate is the handler of a note. It signals when it has begun, waits, and
// then takes effect.
type gate struct {
	begun, release, cancelled chan struct{}
	effects                   atomic.Int64
}

func newGate() *gate {
	return &gate{begun: make(chan struct{}, 1), release: make(chan struct{}), cancelled: make(chan struct{}, 1)}
}

func (g *gate) run(ctx context.Context, _ string) error {
	g.begun <- struct{}{}
	<-g.release
	if ctx.Err() != nil {
		g.cancelled <- struct{}{}
		return ctx.Err()
	}
	g.effects.Add(1)
	return nil
}

// A client that disconnects does not cancel a write. The write is finished and
// audited as successful.
func TestThreat71_DisconnectedClientDoesNotCancelTheCall(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		g := newGate()
		k := newKit(t, []*contract.Tool{(&tools{}).Note(g.run).MustBuild()})
		ctx, hangUp := context.WithCancel(t.Context())
		c := k.client(e, "alice")
		failed := make(chan error, 1)
		go func() {
			_, err := callTool(ctx, c, "notes.write", map[string]any{"text": "x"})
			failed <- err
		}()
		<-g.begun
		hangUp()
		require.ErrorIs(t, <-failed, context.Canceled)
		close(g.release)
		terminal := k.events(audit.Terminal) // closing the guard waits for the handler
		require.Len(t, terminal, 1)
		assert.Equal(t, "ok", terminal[0].Status)
		assert.Equal(t, audit.Allow, terminal[0].Decision)
		assert.EqualValues(t, 1, g.effects.Load())
		assert.Empty(t, g.cancelled)
	})
}

// Over HTTP, requests of the modern era have no owner, so bob's cancellation of
// his request 7 also reaches alice's request 7.
func TestThreat71_CancellationByAnotherCallerHasNoEffect(t *testing.T) {
	t.Parallel()
	g := newGate()
	k := newKit(t, []*contract.Tool{(&tools{}).Note(g.run).MustBuild()})
	answered := make(chan string, 1)
	go func() { answered <- k.call(modern, "alice", "notes.write", `{"text":"x"}`) }()
	<-g.begun
	cancel := map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": 7,
		"_meta": map[string]any{
			mcp.MetaKeyProtocolVersion: string(modern), mcp.MetaKeyClientCapabilities: map[string]any{},
		}}}
	body, err := json.Marshal(cancel)
	require.NoError(t, err)
	k.post(modern, "bob", "notifications/cancelled", "", body)
	close(g.release)

	raw := <-answered
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status, "alice gets her result")
	assert.EqualValues(t, 1, g.effects.Load())
	assert.Empty(t, g.cancelled)
	terminal := k.events(audit.Terminal)
	require.Len(t, terminal, 1)
	assert.Equal(t, "alice", terminal[0].Principal)
	assert.Equal(t, "ok", terminal[0].Status)
}

// A read ends with its client, and the audit log calls it cancelled. Over HTTP
// the client disconnects. Over stdio it sends notifications/cancelled.
func TestThreat130_DisconnectedClientCancelsARead(t *testing.T) { //nolint:paralleltest // mcp-go has one stdio session
	t.Run("http", func(t *testing.T) {
		cancelsReads(t, func(k *kit, e era) *client.Client { return k.client(e, "alice") })
	})
	t.Run("stdio", func(t *testing.T) {
		cancelsReads(t, (*kit).overStdio)
	})
}

func cancelsReads(t *testing.T, connected func(*kit, era) *client.Client) {
	t.Helper()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		begun := make(chan struct{}, 1)
		tool := contract.New("notes.read", func(ctx context.Context, _ struct{}) (string, error) {
			begun <- struct{}{}
			<-ctx.Done()
			return "", ctx.Err()
		}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		c := connected(k, e)
		for range 6 {
			ctx, hangUp := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := callTool(ctx, c, "notes.read", map[string]any{})
				failed <- err
			}()
			<-begun
			hangUp()
			require.ErrorIs(t, <-failed, context.Canceled)
		}
		terminal := k.events(audit.Terminal)
		require.Len(t, terminal, 6, "no call was refused")
		for _, event := range terminal {
			assert.Equal(t, "cancelled", event.Status)
		}
	})
}

// A wrapped read whose caller has left is cancelled, also if its handler then
// returns no usable result.
func TestThreat130_CancelledWrappedReadIsNoFailure(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]*mcp.CallToolResult{
		"no result":                 nil,
		"an error result":           mcp.NewToolResultError("context canceled"),
		"a question for the client": {Result: mcp.Result{ResultType: mcp.ResultTypeInputRequired}},
		"content of no kind":        {Content: []mcp.Content{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			k := newKit(t, []*contract.Tool{wrapTool(plain("read"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult,
				error) {
				cancel()
				return result, nil
			}).MustBuild()})
			answer, err := k.server.GetTool("read").Handler(ctx, mcp.CallToolRequest{})
			require.NoError(t, err)
			assert.Equal(t, contract.StatusCancelled, outcomeOf(t, answer).Status)
			terminal := k.events(audit.Terminal)
			require.Len(t, terminal, 1)
			assert.Equal(t, "cancelled", terminal[0].Status)
		})
	}
}
