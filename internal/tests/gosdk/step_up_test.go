package gosdk_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

const metadata = "https://notes.example/.well-known/oauth-protected-resource/mcp"

// A browser opens addresses as a host does. It records each address, lets its
// person authenticate there, and returns its action.
type browser struct {
	guard  *guard.Guard
	action string
	by     guard.Principal // the person that authenticates; zero: none

	mu     sync.Mutex
	opened []*mcp.ElicitParams
}

func (b *browser) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		Capabilities: (&person{}).options().Capabilities,
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.opened = append(b.opened, r.Params)
			if len(b.opened) > 1 { // the person gives up at the second question
				return &mcp.ElicitResult{Action: "cancel"}, nil
			}
			if !b.by.IsAnonymous() {
				_ = b.guard.People().CompleteStepUp(ctx, r.Params.ElicitationID, b.by) // a failure shows in the call's result
			}
			return &mcp.ElicitResult{Action: b.action}, nil
		},
	}
}

// steppingUp serves that tool over HTTP, with a step-up page.
func steppingUp(t *testing.T, n *tools, more ...guard.Option) (*kit, *browser) {
	t.Helper()
	k := &kit{t: t, sessions: map[string]string{}}
	k.guard, k.log = newGuard(t, append([]guard.Option{
		guard.WithPeople(guard.PeopleOptions{StepUpPage: func(_ context.Context, r people.StepUpRequest) (string, error) {
			return "https://notes.example/step-up?id=" + r.ID, nil
		}}),
	}, more...)...)
	h, err := gosdk.NewHandler("kit", "1.0.0", k.guard, asWritten(gosdk.WithTools(n.CloseNote()),
		gosdk.WithResourceMetadata(metadata))...)
	require.NoError(t, err)
	k.serve(h)
	return k, &browser{guard: k.guard, action: "accept"}
}

func strongAlice() guard.Principal {
	return guard.Principal{Issuer: "test", Subject: "alice", AuthTime: time.Now(), ACR: "mfa"}
}

var closeNote = map[string]any{"text": "hello"}

func TestStepUp_ClientThatCannotOpenAnAddressGetsTheRequirement(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k, _ := steppingUp(t, n)
		r, err := callTool(t.Context(), k.client(e, "alice"), "notes.close", closeNote)
		require.NoError(t, err)
		o := outcomeOf(t, r)
		assert.Equal(t, contract.CodeStepUpRequired, o.Code)
		assert.Equal(t, &contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}, o.StepUp)
		assert.Equal(t, []any{`Bearer error="insufficient_user_authentication", error_description="A more recent or stronger ` +
			`authentication is required", ` +
			`acr_values="mfa", max_age="300", resource_metadata="` + metadata + `"`}, r.Meta["mcp/www_authenticate"])
		assert.Zero(t, n.Notes.Load())
	})
}

func TestThreat65_OverTheWireTheCallContinuesAfterAuthentication(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		n := &tools{}
		k, b := steppingUp(t, n)
		b.by = strongAlice()
		r, err := callTool(t.Context(), connect(t, k.transport("alice"), e, b.options()), "notes.close", closeNote)
		require.NoError(t, err)
		require.False(t, r.IsError, "%v", r.Content)
		assert.EqualValues(t, 1, n.Notes.Load())
		require.Len(t, b.opened, 1)
		asked := b.opened[0]
		assert.Equal(t, "url", asked.Mode)
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
			action string
		}{
			"accepted without authentication": {guard.Principal{}, "accept"},
			"a weak authentication":           {weak, "accept"},
			"another person's authentication": {other, "accept"},
			"declined":                        {guard.Principal{}, "decline"},
			"cancelled":                       {guard.Principal{}, "cancel"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				n := &tools{}
				k, b := steppingUp(t, n, guard.WithTimes(guard.Times{QuestionTimeout: 200 * time.Millisecond})) // which is waited for
				b.by, b.action = c.by, c.action
				r, err := callTool(t.Context(), connect(t, k.transport("alice"), e, b.options()), "notes.close", closeNote)
				require.NoError(t, err)
				assert.Equal(t, contract.CodeStepUpRequired, outcomeOf(t, r).Code)
				assert.Zero(t, n.Notes.Load())
			})
		}
	})
}
