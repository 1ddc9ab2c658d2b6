package verify_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
	"github.com/toolcontract/toolcontract/verify/internal/testing/failtest"
)

func TestVerifyOptions_AreRefusedIfTheyHaveNoUse(t *testing.T) {
	t.Parallel()
	tool := func(t testing.TB, o verify.Option) {
		verify.Tool(t, shelf(t, near), o, verify.WithoutKernel())
	}
	fuzz := func(t testing.TB, o verify.Option) {
		verify.Replay(t, []*contract.Tool{shelf(t, near)}, nil, o)
	}
	check := func(t testing.TB, o verify.Option) {
		b := &bank{keys: map[string]int{}}
		verify.CheckIdempotency(t, paying(t, managed, func(_ context.Context, in payment) (receipt, error) { return b.pay(in), nil }),
			o)
	}
	for name, c := range map[string]struct {
		call   func(testing.TB, verify.Option)
		option verify.Option
	}{
		"callers of Tool": {tool, verify.WithCallers(contract.Principal{Subject: "anna"},
			contract.Principal{Subject: "ben"})},
		"a resource of Tool": {tool,
			verify.WithResource(verify.Resource{Created: map[string]string{"shelf.read": "/book"}})},
		"effects of Tool":           {tool, verify.WithEffects(func(string) int { return 0 })},
		"another tool of Tool":      {tool, verify.Case{Tool: "shelf.burn", Input: shelfInput{}}},
		"required of Replay":        {fuzz, verify.WithRequired()},
		"a set-up of a case":        {fuzz, verify.Case{Input: shelfInput{}, Setup: func(testing.TB) {}}},
		"a caller of a case":        {fuzz, verify.Case{Input: shelfInput{}, As: contract.Principal{Subject: "anna"}}},
		"effects of Replay":         {fuzz, verify.WithEffects(func(string) int { return 0 })},
		"another tool of Replay":    {fuzz, verify.Case{Tool: "shelf.burn", Input: shelfInput{}}},
		"drawn of CheckIdempotency": {check, verify.WithDrawn(3)},
		"state of CheckIdempotency": {check, verify.WithState(func() any { return nil })},
		"allowances of the same":    {check, verify.WithAllowance("/tmp", "a cache")},
		"resources of CheckIdempotency": {check,
			verify.WithResource(verify.Resource{Created: map[string]string{"orders.pay": "/number"}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := failtest.Text(t, func(t testing.TB) { c.call(t, c.option) })
			assert.Regexp(t, "only .* can use it|is not called here", text)
		})
	}
}

func TestWithAccepted_IsRefusedIfItIsStale(t *testing.T) {
	t.Parallel()
	again := verify.WithAccepted("idempotent.secondEffect", "The bank pays twice.")
	twice := func(b *bank, _ context.Context, in payment) (receipt, error) { b.pay(in); return b.pay(in), nil }
	assert.Empty(t, history(t, managed, twice, again))
	assert.Contains(t, history(t, managed, plainly, again), "nothing contradicts idempotent.secondEffect any more")
}

func TestHandlers_ThatEndTheirGoroutineContradict(t *testing.T) {
	t.Parallel()
	exits := func(shelfInput) (shelfOutput, error) {
		runtime.Goexit() // as FailNow does in a test
		return shelfOutput{}, nil
	}
	verified := failtest.Text(t, func(t testing.TB) { verify.Tool(t, shelf(t, exits), verify.WithDrawn(1)) })
	assert.Contains(t, verified, "contradicted [handler.panic]")
	replayed := failtest.Text(t, func(t testing.TB) { verify.Replay(t, []*contract.Tool{shelf(t, exits)}, recorded) })
	assert.Contains(t, replayed, "contradicted [handler.panic]")
}

func TestCheckIdempotency_FailsIfAHandlerNeverReturns(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	assert.Contains(t, history(t, managed, func(b *bank, _ context.Context, in payment) (receipt, error) {
		<-end
		return b.pay(in), nil
	}, verify.WithCallLimit(300*time.Millisecond)), "did not end within its limit")
}

func TestFixtures_OfSeveralToolsHaveTheOneThatIsVerified(t *testing.T) {
	t.Parallel()
	fixture := verify.WithFixture(func(t testing.TB) verify.Fixture {
		return verify.Fixture{Tools: []*contract.Tool{shelf(t, far)}}
	})
	text := failtest.Text(t, func(t testing.TB) {
		verify.Tool(t, shelf(t, near), fixture, verify.Case{Input: shelfInput{Place: 500}})
	})
	assert.Contains(t, text, "contradicted [handler.panic]")
}

func TestTool_ApprovesWhatTheGuardAsks(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	tool, err := contract.New("shelf.read", func(context.Context, shelfInput) (shelfOutput, error) {
		runs.Add(1)
		return shelfOutput{Book: "Emma"}, nil
	}).Title("Shelf").Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).
		Effect(risk.ReadOnly).Permissions("shelf:read").ConfirmAlways().Build()
	require.NoError(t, err)
	assert.Empty(t, failtest.Text(t, func(t testing.TB) { verify.Tool(t, tool, verify.WithoutKernel()) }))
	assert.Positive(t, runs.Load())
}
