package gosdk_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
)

// clientThatAgrees connects alice's client, whose person agrees.
func (k *kit) clientThatAgrees(e era, can mcp.ElicitationCapabilities, agree func(context.Context,
	*mcp.ElicitParams)) *mcp.ClientSession {
	k.t.Helper()
	return connect(k.t, k.transport("alice"), e, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Elicitation: &can},
		ElicitationHandler: func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			agree(ctx, r.Params)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"confirm": true}}, nil
		},
	})
}

// The SDK checks a token's expiry only when a request arrives. A token that had
// already expired then is one its handler tolerates.
func TestThreat153_OverTheWireTheTokenEndsWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		life time.Duration
		code string
		runs int64
	}{
		"it ends meanwhile":    {100 * time.Millisecond, contract.CodeUnauthenticated, 0},
		"it ends later":        {time.Hour, "", 1},
		"it was over before":   {-time.Second, "", 1},
		"it has no end at all": {0, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &tools{}
			k := &kit{t: t, sessions: map[string]string{}}
			k.guard, k.log = newGuard(t, guard.WithPrincipal(gosdk.TokenInfo(func(_ context.Context,
				info *auth.TokenInfo) (guard.Principal, error) {
				return principalOf(info)
			})))
			h, err := gosdk.NewHandler("kit", "1.0.0", k.guard, asWritten(gosdk.WithTools(n.Send()))...)
			require.NoError(t, err)
			verify := func(ctx context.Context, token string, r *http.Request) (*auth.TokenInfo, error) {
				info, err := tokens(ctx, token, r)
				if info.Expiration = time.Now().Add(c.life); c.life == 0 {
					info.Expiration = time.Time{}
				}
				return info, err
			}
			k.serve(auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{
				AllowMissingExpiration: true, ClockSkew: time.Minute,
			})(h))
			caller := k.clientThatAgrees(legacy, mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}},
				func(context.Context, *mcp.ElicitParams) { time.Sleep(150 * time.Millisecond) })
			r, err := callTool(t.Context(), caller, "notes.send", closeNote)
			require.NoError(t, err)
			assert.Equal(t, c.code, outcomeOf(t, r).Code)
			assert.Equal(t, c.runs, n.Notes.Load())
		})
	}
}
