package mcpgo_test

import (
	"context"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
)

const approvalPage = "https://notes.example/approvals/question/"

// An office is an approver, and the client's user who decides there once the
// client has opened the address.
type office struct {
	people  guard.People
	action  mcp.ElicitationResponseAction
	approve bool

	mu     sync.Mutex
	opened []mcp.ElicitationParams
}

func (o *office) Attach(p guard.People) error {
	o.people = p
	return nil
}

func (o *office) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	return approvalPage + q.Token, nil
}

func (o *office) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened = append(o.opened, r.Params)
	if o.action == mcp.ElicitationResponseActionAccept {
		err := o.people.Decide(ctx, r.Params.ElicitationID, o.approve, guard.Principal{Issuer: "staff", Subject: "dave", Human: true})
		if err != nil {
			return nil, err
		}
	}
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: o.action, Content: map[string]any{people.ConfirmKey: true}, // counts for nothing
	}}, nil
}

// officeClient serves notes.send with the approver o, and connects alice's
// client.
func officeClient(t *testing.T, e era, n *tools, o *office, can *mcp.ElicitationCapability, opts ...guard.Option) *client.Client {
	t.Helper()
	k := &kit{t: t, log: &audit.Recorder{}}
	var err error
	k.guard, err = guard.New(append(opts, guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)), guard.WithAudit(k.log),
		guard.WithPeople(guard.PeopleOptions{Approver: o}))...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = k.guard.Close(context.WithoutCancel(t.Context())) })
	k.server, err = mcpgo.NewServer("kit", "1.0.0", k.guard, asWritten(mcpgo.WithTools(n.Send()))...)
	require.NoError(t, err)
	k.serveSessions()
	over, err := transport.NewStreamableHTTP(k.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer alice"}))
	require.NoError(t, err)
	return connect(t, over, e, client.WithElicitationHandler(o),
		client.WithClientCapabilities(mcp.ClientCapabilities{Elicitation: can}))
}

func TestApproval_OverTheWireTheClientSendsItsUserToThePage(t *testing.T) {
	t.Parallel()
	urls, both := &mcp.ElicitationCapability{URL: &struct{}{}}, &mcp.ElicitationCapability{Form: &struct{}{}, URL: &struct{}{}}
	for name, c := range map[string]struct {
		can     *mcp.ElicitationCapability
		opts    []guard.Option
		action  mcp.ElicitationResponseAction
		approve bool
		code    string
		runs    int64
	}{
		"approved": {urls, nil, mcp.ElicitationResponseActionAccept, true, "", 1},
		"approved, with forms": {both, []guard.Option{guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium})},
			mcp.ElicitationResponseActionAccept, true, "", 1},
		"declined on the page": {urls, nil, mcp.ElicitationResponseActionAccept, false, contract.CodeConfirmationDeclined, 0},
		"not opened":           {urls, nil, mcp.ElicitationResponseActionDecline, false, contract.CodeConfirmationPending, 0},
		"cancelled, with forms": {both, []guard.Option{guard.WithPeople(guard.PeopleOptions{ApproverFrom: risk.Medium})},
			mcp.ElicitationResponseActionCancel, false, contract.CodeConfirmationPending, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdktest.EachEra(t, func(t *testing.T, e era) {
				n, o := &tools{}, &office{action: c.action, approve: c.approve}
				caller := officeClient(t, e, n, o, c.can, c.opts...)
				r, err := callTool(t.Context(), caller, "notes.send", closeNote)
				require.NoError(t, err)
				outcome := outcomeOf(t, r)
				assert.Equal(t, c.code, outcome.Code)
				assert.Equal(t, c.runs, n.Notes.Load())
				require.Len(t, o.opened, 1)
				asked := o.opened[0]
				assert.Equal(t, mcp.ElicitationModeURL, asked.Mode)
				assert.Equal(t, approvalPage+asked.ElicitationID, asked.URL)
				assert.Nil(t, asked.RequestedSchema)
				assert.NotContains(t, asked.Message, "://")
				assert.NotContains(t, asked.Message, "hello", "only the page shows the arguments")
				if c.code == contract.CodeConfirmationPending {
					assert.Equal(t, asked.URL, outcome.URL)
					_, err = callTool(t.Context(), caller, "notes.send", closeNote)
					require.NoError(t, err)
					assert.Len(t, o.opened, 1, "the address is opened once for each question")
				}
			})
		})
	}
}
