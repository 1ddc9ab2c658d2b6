package main

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/migration/desk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func TestMain(m *testing.M) {
	exampletest.Main(m, func() int {
		main()
		return 0
	})
}

// connect returns a client in the process of the server. It cannot ask anybody.
func connect(t *testing.T, rules wrap.Rules, opts ...guard.Option) (*client.Client, *guard.Guard) {
	t.Helper()
	s := newServer(desk.New())
	g, err := guard.New(append(opts, guard.WithPrincipal(mcpgo.LocalUser("orders:read", "orders:write")))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	report, err := mcpgo.WrapAll(s, g, rules, mcpgo.WithClosedWorld())
	require.NoError(t, err)
	for _, tool := range report.Tools {
		assert.Empty(t, tool.Guesses, tool.Name)
	}
	c, err := client.NewInProcessClient(s)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	require.NoError(t, c.Start(t.Context()))
	_, err = c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: exampletest.Legacy}})
	require.NoError(t, err)
	return c, g
}

const order = `{"id":"o_2"}`

// cancelled reports whether the order is gone.
func cancelled(t *testing.T, c *client.Client) bool {
	t.Helper()
	result, _ := exampletest.Call(t, c, "get_order", order)
	return result.IsError
}

func TestServe_OverStdioEveryToolHasAContract(t *testing.T) {
	t.Parallel()
	c := exampletest.Stdio(t, exampletest.Legacy)
	assert.Len(t, exampletest.Names(t, c), 6)
	_, outcome := exampletest.Call(t, c, "get_order", order)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	_, outcome = exampletest.Call(t, c, "get_order", `{"id":2}`)
	assert.Equal(t, contract.CodeInvalidInput, outcome.Code)
}

func TestClientThatCannotAsk_IsRefused(t *testing.T) {
	t.Parallel()
	c, _ := connect(t, rules())
	_, outcome := exampletest.Call(t, c, "cancel_order", order)
	assert.Equal(t, contract.CodeConfirmationRequired, outcome.Code)
	assert.False(t, cancelled(t, c))
}

func TestClientThatCannotAsk_RunsAToolThatNeverAsks(t *testing.T) {
	t.Parallel()
	r := rules()
	cancel := r.Tools["cancel_order"]
	cancel.Base.Confirmation = contract.ConfirmationNever
	cancel.Base.ConfirmationReason = "an order can be placed again within a minute"
	r.Tools["cancel_order"] = cancel
	c, _ := connect(t, r)
	_, outcome := exampletest.Call(t, c, "cancel_order", order)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.True(t, cancelled(t, c))
}

// A page stands for the page of package pages. It holds the token of the
// last question.
type page struct{ token string }

func (p *page) Attach(guard.People) error { return nil }

func (p *page) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	p.token = q.Token
	return "https://orders.example/approvals/" + q.Token, nil
}

func TestClientThatCannotAsk_RunsAfterApprovalOnAPage(t *testing.T) {
	t.Parallel()
	p := &page{}
	c, g := connect(t, rules(), guard.WithPeople(guard.PeopleOptions{Approver: p}))
	_, outcome := exampletest.Call(t, c, "cancel_order", order)
	require.Equal(t, contract.CodeConfirmationPending, outcome.Code)
	require.NoError(t, g.People().Decide(t.Context(), p.token, true, guard.Principal{Issuer: "staff", Subject: "dave", Human: true}))
	_, outcome = exampletest.Call(t, c, "cancel_order", order)
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.True(t, cancelled(t, c))
}
