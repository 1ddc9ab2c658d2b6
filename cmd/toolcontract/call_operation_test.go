package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// operationIn and operationOut are those of the tool operations_get.
type operationIn struct {
	OperationID string `json:"operationId"`
}

type operationOut struct {
	State        string    `json:"state"`
	Tool         string    `json:"tool,omitempty"`
	StartedAt    time.Time `json:"startedAt,omitzero"`
	EndedAt      time.Time `json:"endedAt,omitzero"`
	RetryAfterMs int64     `json:"retryAfterMs,omitempty"`
}

// serveOrders serves a tool whose handler hangs if the id is "slow", and one
// that looks up operations unless answers is nil.
func serveOrders(t *testing.T, answers map[string]operationOut) (url string) {
	t.Helper()
	order := contract.New("orders.place", func(ctx context.Context, in noteIn) (noteOut, error) {
		switch in.ID {
		case "slow":
			<-ctx.Done()
			return noteOut{}, ctx.Err()
		case "panic":
			panic("no")
		}
		return noteOut(in), nil
	}).Description("Places an order.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		NoPermissions("The shop is open to all.").Timeout(100 * time.Millisecond).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"id"}}).MustBuild()
	tools := []*contract.Tool{order}
	if answers != nil {
		tools = append(tools, contract.New("operations_get", func(_ context.Context, in operationIn) (operationOut, error) {
			if found, ok := answers[in.OperationID]; ok {
				return found, nil
			}
			return operationOut{State: "unknown"}, nil
		}).FlatName().Description("Looks up a call.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild())
	}
	g, err := guard.New(guard.WithAudit(new(audit.Recorder)), guard.WithPrincipal(guard.PrincipalFunc(
		func(context.Context) (contract.Principal, error) {
			return contract.Principal{Issuer: "login", Subject: "anna"}, nil
		})))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("orders", "1.0.0", g, mcpgo.WithTools(tools...))
	require.NoError(t, err)
	h, err := mcpgo.HandlerOf(s)
	require.NoError(t, err)
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

func TestCall_NamesTheOperationOfAnOpenOutcome(t *testing.T) {
	t.Parallel()
	url := serveOrders(t, map[string]operationOut{})
	for id, code := range map[string]string{
		"slow": contract.CodeTimeout, "panic": contract.CodeInternalError, "": contract.CodeInvalidInput, "o1": "",
	} {
		var found struct{ Code, OperationID, Advice string }
		runJSON(t, &found, "call", url, "orders_place", "id="+id)
		assert.Equal(t, code, found.Code)
		isOpen := id == "slow" || id == "panic"
		assert.Equal(t, isOpen, strings.HasPrefix(found.OperationID, "op_"), "%s: %+v", id, found)
		assert.Equal(t, isOpen, strings.HasSuffix(found.Advice, "; -operation "+found.OperationID+" tells what became of it"))
		if isOpen {
			_, _, stderr := runCommand(t, "call", url, "orders_place", "id="+id)
			assert.Contains(t, stderr, "  operation: "+found.OperationID+"\n", "a repetition has the same one")
		}
	}
	var found struct{ OperationID, Advice string }
	runJSON(t, &found, "call", serveOrders(t, nil), "orders_place", "id=slow")
	assert.True(t, strings.HasPrefix(found.OperationID, "op_"))
	assert.NotContains(t, found.Advice, "-operation", "the server has no lookup")
}

func TestCall_LooksUpAnOperation(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 10, 0, 1, 0, time.UTC)
	url := serveOrders(t, map[string]operationOut{
		"op_done":    {State: "succeeded", Tool: "orders_place", StartedAt: at, EndedAt: at.Add(2 * time.Second)},
		"op_ended":   {State: "ended", Tool: "orders_place", StartedAt: at},
		"op_failed":  {State: "failed", Tool: "orders_place"},
		"op_none":    {State: "did_not_happen", Tool: "orders_place"},
		"op_running": {State: "running", Tool: "orders_place", RetryAfterMs: 2900},
		"op_open":    {State: "unknown", Tool: "orders_place"},
	})
	for id, want := range map[string]struct {
		status cli.Status
		stdout string
		advice string
	}{
		"op_done": {cli.OK, "succeeded\n  tool     orders_place\n  started  2026-11-28 10:00:01 UTC\n  ended    2026-11-28 10:00:03 UTC\n",
			"do not start over"},
		"op_ended":   {cli.OK, "ended\n  tool     orders_place\n  started  2026-11-28 10:00:01 UTC\n", "may have had its effect"},
		"op_failed":  {cli.OK, "failed\n  tool     orders_place\n", "it had no effect"},
		"op_none":    {cli.OK, "did_not_happen\n  tool     orders_place\n", "repeat the call if you still want it"},
		"op_running": {cli.Bad, "running\n  tool     orders_place\n", "look again in 3s"},
		"op_open":    {cli.Bad, "unknown\n  tool     orders_place\n", "check whether the call had its effect"},
		"op_other":   {cli.Bad, "unknown\n", "only about their own calls"},
	} {
		status, stdout, stderr := runCommand(t, "call", url, "-operation", id)
		assert.Equal(t, want.status, status, id+stderr)
		assert.Equal(t, want.stdout, stdout, id)
		assert.Contains(t, stderr, "next: ", id)
		assert.Contains(t, stderr, want.advice, id)
	}
	var found struct {
		OperationID, State, Tool, Advice string
		StartedAt, EndedAt               time.Time
		RetryAfterMs                     int64
	}
	assert.Equal(t, cli.OK, runJSON(t, &found, "call", "-operation", "op_done", url))
	assert.Equal(t, []string{"op_done", "succeeded", "orders_place"}, []string{found.OperationID, found.State, found.Tool})
	assert.Equal(t, []time.Time{at, at.Add(2 * time.Second)}, []time.Time{found.StartedAt, found.EndedAt})
	assert.Equal(t, cli.Bad, runJSON(t, &found, "call", "-operation", "op_running", url))
	assert.EqualValues(t, 2900, found.RetryAfterMs)
}

func TestCall_SaysWhyItCannotLookUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line []string
		want string
	}{
		"no such tool": {[]string{serveOrders(t, nil), "-operation", "op_x"}, "the server lists no tool that looks up operations"},
		"no id":        {[]string{serveOrders(t, map[string]operationOut{}), "-operation", "order 7"}, "starts with op_"},
		"a tool":       {[]string{serveOrders(t, nil), "-operation", "op_x", "orders_place"}, "-operation takes none"},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"call"}, test.line...)...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		assert.Contains(t, stderr, test.want, name)
	}
}
