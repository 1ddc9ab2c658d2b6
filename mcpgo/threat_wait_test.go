package mcpgo_test

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

type late struct{ sdktest.Late }

func (l *late) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	l.Agree(ctx, r.Params.URL, r.Params.ElicitationID)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"confirm": true},
	}}, nil
}

func TestThreat153_OverTheWireTheTokenIsRevokedWhileAPersonIsAsked(t *testing.T) {
	t.Parallel()
	form, url := &mcp.ElicitationCapability{Form: &struct{}{}}, &mcp.ElicitationCapability{URL: &struct{}{}}
	for name, c := range map[string]struct {
		tool string
		can  *mcp.ElicitationCapability
	}{
		"by a form":                    {"notes.send", form},
		"on the page of the approver":  {"notes.send", url},
		"on the page to sign in again": {"notes.close", url},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdktest.EachEra(t, func(t *testing.T, e era) {
				n, l := &tools{}, &late{}
				k := &kit{t: t, log: &audit.Recorder{}}
				var err error
				k.guard, err = guard.New(guard.WithPrincipal(mcpgo.Bearer(l.Verify)), guard.WithAudit(k.log), l.Option())
				require.NoError(t, err)
				k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(n.Send(), n.CloseNote()))...)
				require.NoError(t, err)
				k.serveSessions()
				over, err := transport.NewStreamableHTTP(k.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer alice"}))
				require.NoError(t, err)
				caller := connect(t, over, e, client.WithElicitationHandler(l),
					client.WithClientCapabilities(mcp.ClientCapabilities{Elicitation: c.can}))
				r, err := callTool(t.Context(), caller, c.tool, closeNote)
				require.NoError(t, err)
				assert.Equal(t, contract.CodeUnauthenticated, outcomeOf(t, r).Code)
				assert.Zero(t, n.Notes.Load())
				events := k.events(audit.Terminal)
				assert.Equal(t, "authenticate", events[len(events)-1].Stage)
			})
		})
	}
}
