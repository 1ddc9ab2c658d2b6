package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type principalKey struct{}

// as returns a context that the kit's principal function reads.
func as(ctx context.Context, p guard.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

func fromContext(ctx context.Context) (guard.Principal, error) {
	p, _ := ctx.Value(principalKey{}).(guard.Principal)
	return p, nil
}

var (
	alice = guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"mail:send", "mail:read"}}
	bob   = guard.Principal{Issuer: "test", Subject: "bob", Permissions: []string{"mail:read"}}
	carol = guard.Principal{Issuer: "test", Subject: "carol", Permissions: []string{"mail:send"}, Human: true}
)

// A kit is a guard over some tools, with a recording audit log.
type kit struct {
	t     testing.TB
	guard *guard.Guard
	set   *guard.Toolset
	log   *audit.Recorder
}

func newKit(t testing.TB, tools []*contract.Tool, opts ...guard.Option) *kit {
	t.Helper()
	l := &audit.Recorder{}
	opts = append([]guard.Option{guard.WithPrincipal(guard.PrincipalFunc(fromContext)),
		guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithNamespace("kit")}, opts...)
	g, err := guard.NewForTest(append(opts, guard.WithDefaultSink(l))...)
	require.NoError(t, err)
	set, err := g.Protect(tools...)
	require.NoError(t, err)
	k := &kit{t: t, guard: g, set: set, log: l}
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	return k
}

// unlimited raises the rate limit, for tests with many calls.
var unlimited = guard.WithRateLimit(1_000_000, time.Second)

// call calls a tool. The tool must exist.
func (k *kit) call(p guard.Principal, tool, arguments string) *guard.Result {
	k.t.Helper()
	r, err := k.set.Call(as(k.t.Context(), p), guard.Request{Tool: tool, Arguments: json.RawMessage(arguments)})
	require.NoError(k.t, err)
	k.complete(tool, r)
	return r
}

// complete asserts that the contract that the guard serves lists a failure, because that list
// must be complete.
func (k *kit) complete(tool string, r *guard.Result) {
	k.t.Helper()
	if !r.IsError || r.Outcome.Status == contract.StatusCancelled {
		return
	}
	for _, t := range k.set.Tools() {
		doc := k.set.Adapter().Document(t.Name())
		if doc.Name != tool && !slices.Contains(doc.Aliases, tool) {
			continue
		}
		found := slices.ContainsFunc(doc.FailureModes, func(m contract.FailureMode) bool {
			return m.Code == r.Outcome.Code && m.Class == r.Outcome.Class
		})
		require.True(k.t, found, "%s %s is not among the failure modes of %s", r.Outcome.Class, r.Outcome.Code, tool)
	}
}

// events closes the guard and returns the events of the log.
func (k *kit) events(kind audit.Kind) []audit.Event {
	k.t.Helper()
	require.NoError(k.t, k.guard.Close(k.t.Context()))
	return k.log.Events(kind)
}

// closeAfterLosses closes the guard. Lost events are no failure of the test.
func (k *kit) closeAfterLosses() {
	k.t.Helper()
	if err := k.guard.Close(k.t.Context()); err != nil {
		_, ok := errors.AsType[*guard.AuditLossError](err)
		require.True(k.t, ok, "%v", err)
	}
}

// refused asserts the code and class of an error result.
func refused(t *testing.T, r *guard.Result, code string, class contract.Class) {
	t.Helper()
	require.True(t, r.IsError, "the call was not refused: %s", r.Text)
	require.Equal(t, contract.StatusError, r.Outcome.Status)
	require.Equal(t, code, r.Outcome.Code)
	require.Equal(t, class, r.Outcome.Class)
	require.Nil(t, r.Structured)
}

type payInput struct {
	Pay struct {
		Amount int64 `json:"amount" jsonschema:"minimum=1,maximum=100"`
	} `json:"pay"`
	Note string `json:"note,omitempty" contract:"sensitive"`
}

type payOutput struct {
	Paid int64 `json:"paid"`
}

var (
	errNoFunds = contract.Retryable("no_funds", "The account does not cover the amount.")
	errClosed  = contract.Fatal("account_closed", "The account is closed.")
)

// A counter counts the runs of a handler.
type counter struct{ runs atomic.Int64 }

// writing is the base of the kit's medium-risk tools.
func writing() contract.Base {
	return contract.Base{
		Description: "Pays.",
		Version:     "1.0.0",
		Effect:      risk.LowRiskWrite,
		Trust:       trust.Trusted,
		Permissions: []string{"mail:send"},
		Failures:    []*contract.Failure{errNoFunds, errClosed},
	}
}

// payer builds a medium-risk tool over a handler that counts.
func (n *counter) payer(name string) *contract.Builder[payInput, payOutput] {
	return contract.New(name, func(_ context.Context, in payInput) (payOutput, error) {
		n.runs.Add(1)
		return payOutput{in.Pay.Amount}, nil
	}).From(writing())
}

const validPay = `{"pay":{"amount":10}}`

type empty struct{}

// reader builds a low-risk tool over a handler without input.
func reader[Out any](name string, f func(context.Context) (Out, error)) *contract.Builder[empty, Out] {
	return contract.New(name, func(ctx context.Context, _ empty) (Out, error) { return f(ctx) }).
		Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

var errSecret = errors.New("pq: password authentication failed for user admin host=10.0.0.3")
