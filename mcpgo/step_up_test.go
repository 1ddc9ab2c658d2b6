package mcpgo_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

const metadata = "https://notes.example/.well-known/oauth-protected-resource/mcp"

// A browser opens addresses as a host does. It records each address, lets its
// person authenticate there, and returns its action.
type browser struct {
	guard  *guard.Guard
	action mcp.ElicitationResponseAction
	by     guard.Principal // the person that authenticates; zero: none

	mu     sync.Mutex
	opened []mcp.ElicitationParams
}

func (b *browser) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.opened = append(b.opened, r.Params)
	if len(b.opened) > 1 { // the person gives up at the second question
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionCancel}}, nil
	}
	if !b.by.IsAnonymous() {
		_ = b.guard.People().CompleteStepUp(ctx, r.Params.ElicitationID, b.by) // a failure shows in the call's result
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: b.action}}, nil
}

// steppingUp serves that tool over HTTP, with or without a step-up page.
func steppingUp(t *testing.T, n *tools, page bool, more ...guard.Option) (*kit, *browser) {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}}
	opts := []guard.Option{guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(k.log)}
	if page {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{StepUpPage: func(_ context.Context, r people.StepUpRequest) (string,
			error) {
			return "https://notes.example/step-up?id=" + r.ID, nil
		}}))
	}
	var err error
	k.guard, err = guard.New(append(opts, more...)...)
	require.NoError(t, err)
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(n.CloseNote()),
		mcpgo.WithResourceMetadata(metadata))...)
	require.NoError(t, err)
	web := httptest.NewServer(server.NewStreamableHTTPServer(k.server))
	k.url = web.URL + "/mcp"
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		_ = k.guard.Close(context.WithoutCancel(t.Context()))
	})
	return k, &browser{guard: k.guard, action: mcp.ElicitationResponseActionAccept}
}

// clientThatOpens connects alice's client, which opens addresses in b.
func (k *kit) clientThatOpens(e era, b *browser) *client.Client {
	over, err := transport.NewStreamableHTTP(k.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer alice"}))
	require.NoError(k.t, err)
	return connect(k.t, over, e, client.WithElicitationHandler(b), client.WithClientCapabilities(mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}},
	}))
}

func strongAlice() guard.Principal {
	return guard.Principal{Issuer: "test", Subject: "alice", AuthTime: time.Now(), ACR: "mfa"}
}

var closeNote = map[string]any{"text": "hello"}

func TestStepUp_ClientThatCannotOpenAnAddressGetsTheRequirement(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k, _ := steppingUp(t, n, true)
		r, err := callTool(t.Context(), k.client(e, "alice"), "notes.close", closeNote)
		require.NoError(t, err)
		o := outcomeOf(t, r)
		assert.Equal(t, contract.CodeStepUpRequired, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
		assert.Equal(t, &contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, o.StepUp)
		assert.Equal(t, []any{`Bearer error="insufficient_user_authentication", error_description="A more recent or stronger ` +
			`authentication is required", ` +
			`acr_values="mfa", max_age="300", resource_metadata="` + metadata + `"`}, r.Meta.AdditionalFields["mcp/www_authenticate"])
		assert.Zero(t, n.Notes.Load())
	})
}

func TestThreat65_OverTheWireTheCallContinuesAfterAuthentication(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k, b := steppingUp(t, n, true)
		b.by = strongAlice()
		r, err := callTool(t.Context(), k.clientThatOpens(e, b), "notes.close", closeNote)
		require.NoError(t, err)
		require.False(t, r.IsError, "%v", r.Content)
		assert.EqualValues(t, 1, n.Notes.Load())
		require.Len(t, b.opened, 1)
		asked := b.opened[0]
		assert.Equal(t, mcp.ElicitationModeURL, asked.Mode)
		assert.Equal(t, "https://notes.example/step-up?id="+asked.ElicitationID, asked.URL)
		assert.Nil(t, asked.RequestedSchema)
		assert.NotContains(t, asked.Message, "://")
	})
}

func TestThreat65_OverTheWireOnlyTheRequiredAuthenticationCounts(t *testing.T) {
	t.Parallel()
	weak, other := strongAlice(), strongAlice()
	weak.ACR, other.Subject = "pwd", "bob"
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for name, c := range map[string]struct {
			by     guard.Principal
			action mcp.ElicitationResponseAction
		}{
			"accepted without authentication": {guard.Principal{}, mcp.ElicitationResponseActionAccept},
			"a weak authentication":           {weak, mcp.ElicitationResponseActionAccept},
			"another person's authentication": {other, mcp.ElicitationResponseActionAccept},
			"declined":                        {guard.Principal{}, mcp.ElicitationResponseActionDecline},
			"cancelled":                       {guard.Principal{}, mcp.ElicitationResponseActionCancel},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n := &tools{}
				k, b := steppingUp(t, n, true, guard.WithTimes(guard.Times{QuestionTimeout: 200 * time.Millisecond})) // which is waited for
				b.by, b.action = c.by, c.action
				r, err := callTool(t.Context(), k.clientThatOpens(e, b), "notes.close", closeNote)
				require.NoError(t, err)
				assert.Equal(t, contract.CodeStepUpRequired, outcomeOf(t, r).Code)
				assert.Zero(t, n.Notes.Load())
			})
		}
	})
}

func TestWithResourceMetadata_RefusesInvalidAddresses(t *testing.T) {
	t.Parallel()
	n := &tools{}
	for _, address := range []string{"", "notes", "/metadata", "ftp://notes.example/", "javascript:alert(1)",
		"https://user@notes.example/", "https://notes.example/\r\nX: y", `https://notes.example/"`} {
		g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)))
		require.NoError(t, err)
		_, err = mcpgo.NewServer("kit", "1.0.0", g, asWritten(mcpgo.WithTools(n.CloseNote()), mcpgo.WithResourceMetadata(address))...)
		mistakes := contract.DeclarationErrors(err)
		if assert.Len(t, mistakes, 1, address) {
			assert.Equal(t, "serve.resourceMetadata", mistakes[0].Rule)
		}
		require.NoError(t, g.Close(context.WithoutCancel(t.Context())))
	}
}

// A tool has one limit, for all of its names, in each era.
func TestThreat31_OverTheWireACallBeyondTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		var runs atomic.Int64
		tool := contract.New("notes.count", func(context.Context, empty) (addOut, error) { return addOut{Sum: runs.Add(1)}, nil }).
			Description("Counts.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("notes.sum").RateLimit(2,
			time.Hour).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		c := k.client(e, "alice")
		for _, name := range []string{"notes.count", "notes.sum"} {
			r, err := callTool(t.Context(), c, name, nil)
			require.NoError(t, err)
			require.False(t, r.IsError)
		}
		for _, name := range []string{"notes.count", "notes.sum"} {
			r, err := callTool(t.Context(), c, name, nil)
			require.NoError(t, err)
			o := outcomeOf(t, r)
			assert.Equal(t, contract.CodeRateLimitExceeded, o.Code)
			assert.Equal(t, contract.ClassRetryable, o.Class)
			assert.InDelta(t, 30*60*1000, o.RetryAfterMs, 60_000)
		}
		assert.EqualValues(t, 2, runs.Load())
	})
}

// If permissions are scopes of a token, the answer names the scopes that the
// host must request. Otherwise no token can help.
func TestWithResourceMetadata_NamesMissingScopes(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k, _ := steppingUp(t, n, true)
		r, err := callTool(t.Context(), k.client(e, "bob"), "notes.close", closeNote)
		require.NoError(t, err)
		o := outcomeOf(t, r)
		assert.Equal(t, contract.CodePermissionDenied, o.Code)
		assert.Equal(t, []string{"notes:write"}, o.MissingPermissions)
		assert.Equal(t, []any{`Bearer error="insufficient_scope", error_description="The tool needs more scopes", ` +
			`scope="notes:write", ` +
			`resource_metadata="` + metadata + `"`},
			r.Meta.AdditionalFields["mcp/www_authenticate"])

		plain := newKit(t, []*contract.Tool{n.Note(nil).MustBuild()})
		r, err = callTool(t.Context(), plain.client(e, "bob"), "notes.write", closeNote)
		require.NoError(t, err)
		assert.Equal(t, []string{"notes:write"}, outcomeOf(t, r).MissingPermissions)
		assert.NotContains(t, r.Meta.AdditionalFields, "mcp/www_authenticate")
	})
}
