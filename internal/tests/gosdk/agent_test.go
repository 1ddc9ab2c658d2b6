package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type sumIn struct {
	A int64 `json:"a"`
}

type sumOut struct {
	Sum int64 `json:"sum"`
}

type payIn struct {
	To string `json:"to"`
}

type payOut struct {
	Paid string `json:"paid"`
}

type payPreview struct {
	Fee int `json:"fee"`
}

var errTaken = contract.Retryable("already_exists", "The name is taken.")

// A bank counts its payments.
type bank struct{ paid atomic.Int64 }

func (b *bank) pay(_ context.Context, in payIn) (payOut, error) {
	if in.To == "taken" {
		return payOut{}, errTaken.Errorf("choose another one")
	}
	b.paid.Add(1)
	return payOut{in.To}, nil
}

func preview(context.Context, payIn) (dryrun.Preview[payPreview], error) {
	return dryrun.Preview[payPreview]{Data: payPreview{Fee: 3}}, nil
}

func (b *bank) tools() []*contract.Tool {
	paying := func(name string) *contract.Builder[payIn, payOut] {
		return contract.New(name,
			b.pay).Description("Pays.").Version("1.0.0").Trust(trust.Trusted).Permissions("pay").Failures(errTaken)
	}
	return []*contract.Tool{
		contract.New("calc.add", func(_ context.Context, in sumIn) (sumOut, error) { return sumOut{in.A}, nil }).
			Description("Adds.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild(),
		paying("bank.transfer").Effect(risk.PaidOperation).MustBuild(),
		paying("bank.void").Effect(risk.Destructive).DryRun(dryrun.By(preview).Required()).MustBuild(),
		paying("bank.note").Effect(risk.LowRiskWrite).Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			ClientKey: true}).MustBuild(),
		paying("bank.plain").Effect(risk.LowRiskWrite).MustBuild(),
	}
}

// serve serves the tools over HTTP. The middleware may be nil.
func (b *bank) serve(t *testing.T, middleware func(http.Handler) http.Handler) string {
	t.Helper()
	anna := contract.Principal{Issuer: "test", Subject: "anna", Permissions: []string{"pay"}}
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal, error) { return anna, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	h, err := gosdk.NewHandler("bank", "1.0.0", g, gosdk.WithTools(b.tools()...), gosdk.WithTier(contract.TierFull))
	require.NoError(t, err)
	if middleware != nil {
		h = middleware(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL + "/mcp"
}

// over returns a dialer of sessions that speak a version.
func over(version, url string) agent.Dialer {
	return client.New(clienttest.Speaking(version, client.HTTP{URL: url}))
}

func connectAgent(t *testing.T, d agent.Dialer, opts agent.Options) *agent.Agent {
	t.Helper()
	a, err := agent.Connect(t.Context(), d, opts)
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() }) // some tests cut its connection
	return a
}

var versions = []string{clienttest.Older, clienttest.Modern}

func asking(answer func(agent.Question) agent.Answer, seen *[]agent.Question) agent.Options {
	return agent.Options{Host: agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
		*seen = append(*seen, q)
		return answer(q), nil
	}}}
}

func TestAgent_HonoursContractsOverTheOfficialSDK(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			var b bank
			var seen []agent.Question
			a := connectAgent(t, over(version, b.serve(t, nil)), asking(agent.Question.Approve, &seen))
			out, err := agent.Call[sumOut](t.Context(), a, "calc_add", sumIn{A: 9007199254740993})
			require.NoError(t, err)
			assert.Equal(t, int64(9007199254740993), out.Sum)

			_, err = a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})
			require.NoError(t, err)
			require.Len(t, seen, 1)
			assert.JSONEq(t, `{"to":"ben"}`, string(seen[0].Arguments))
			assert.NotEmpty(t, seen[0].Message)
			assert.Equal(t, int64(1), b.paid.Load())

			r, err := a.Call(t.Context(), "bank_void", payIn{To: "max"})
			require.NoError(t, err)
			assert.Contains(t, string(r.Preview), `"fee":3`)
			assert.Equal(t, int64(2), b.paid.Load())

			first, err := a.Call(t.Context(), "bank_note", payIn{To: "eve"})
			require.NoError(t, err)
			again, err := a.Call(t.Context(), "bank_note", payIn{To: "eve"}, agent.WithKey(first.Key))
			require.NoError(t, err)
			assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
			assert.Equal(t, int64(3), b.paid.Load())

			var retry *agent.RetryError
			_, err = a.Call(t.Context(), "bank_note", payIn{To: "taken"})
			require.ErrorAs(t, err, &retry)
			assert.Equal(t, "already_exists", retry.Code)
		})
	}
}

func TestAgent_DeclinedAndUnaskableCallsHaveNoEffect(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		var b bank
		var seen []agent.Question
		url := b.serve(t, nil)
		decline := func(agent.Question) agent.Answer { return agent.Answer{Action: agent.Decline} }
		a := connectAgent(t, over(version, url), asking(decline, &seen))
		var retry *agent.RetryError
		_, err := a.Call(t.Context(), "bank_transfer", payIn{To: "ben"})
		require.ErrorAs(t, err, &retry)
		assert.Equal(t, contract.CodeConfirmationDeclined, retry.Code)
		assert.Len(t, seen, 1)

		none := connectAgent(t, over(version, url), agent.Options{})
		var fatal *agent.FatalError
		_, err = none.Call(t.Context(), "bank_transfer", payIn{To: "max"})
		require.ErrorAs(t, err, &fatal)
		assert.Equal(t, contract.CodeConfirmationRequired, fatal.Code)
		assert.Zero(t, b.paid.Load())
	}
}

func TestThreat138_AnswersThatAreLostNeverHaveASecondEffect(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		for tool, unknown := range map[string]bool{"bank_note": false, "bank_plain": true} {
			var b bank
			var lose atomic.Bool
			url := b.serve(t, func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost || !lose.CompareAndSwap(true, false) {
						next.ServeHTTP(w, r)
						return
					}
					next.ServeHTTP(httptest.NewRecorder(), r) // the tool runs
					panic(http.ErrAbortHandler)
				})
			})
			a := connectAgent(t, over(version, url), agent.Options{})
			lose.Store(true)
			_, err := a.Call(t.Context(), tool, payIn{To: "ben"})
			assert.Equal(t, int64(1), b.paid.Load(), "%s %s", version, tool)
			if !unknown {
				require.NoError(t, err, "%s %s", version, tool)
				continue
			}
			var fatal *agent.FatalError
			require.ErrorAs(t, err, &fatal, "%s %s", version, tool)
			assert.Equal(t, contract.CodeOutcomeUnknown, fatal.Code, "%s %s", version, tool)
		}
	}
}

func TestAgent_ConnectsServersWithoutAContract(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "plain", Version: "1"}, nil)
	var runs atomic.Int64
	mcp.AddTool(s, &mcp.Tool{Name: "write"}, func(context.Context, *mcp.CallToolRequest, sumIn) (*mcp.CallToolResult, sumOut,
		error) {
		runs.Add(1)
		return nil, sumOut{3}, nil
	})
	d := client.New(client.InProcess(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)))
	var fatal *agent.FatalError
	_, err := connectAgent(t, d, agent.Options{}).Call(t.Context(), "write", sumIn{})
	require.ErrorAs(t, err, &fatal)
	assert.Equal(t, contract.CodeConfirmationRequired, fatal.Code)
	assert.Zero(t, runs.Load())

	var seen []agent.Question
	out, err := agent.Call[sumOut](t.Context(), connectAgent(t, d, asking(agent.Question.Approve, &seen)), "write", sumIn{})
	require.NoError(t, err)
	assert.Equal(t, sumOut{3}, out)
	assert.Len(t, seen, 1)
	assert.Empty(t, seen[0].Message, "the agent asks, because the server does not")
}
