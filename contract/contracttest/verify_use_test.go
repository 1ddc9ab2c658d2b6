package contracttest_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/contracttest"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestVerifyOptions_AreRefusedIfTheyHaveNoUse(t *testing.T) {
	t.Parallel()
	verify := func(t testing.TB, o contracttest.VerifyOption) {
		contracttest.Verify(t, shelf(t, near), o, contracttest.WithoutKernel())
	}
	fuzz := func(t testing.TB, o contracttest.VerifyOption) {
		contracttest.CheckCalls(t, []*contract.Tool{shelf(t, near)}, o)
	}
	check := func(t testing.TB, o contracttest.VerifyOption) {
		b := &bank{keys: map[string]int{}}
		contracttest.CheckIdempotency(t, paying(t, managed, func(_ context.Context, in payment) (receipt, error) { return b.pay(in), nil }), o)
	}
	for name, c := range map[string]struct {
		call   func(testing.TB, contracttest.VerifyOption)
		option contracttest.VerifyOption
	}{
		"callers of Verify":             {verify, contracttest.WithCallers(contract.Principal{Subject: "anna"})},
		"a resource of Verify":          {verify, contracttest.WithResource(contracttest.Resource{Created: map[string]string{"shelf.read": "/book"}})},
		"effects of Verify":             {verify, contracttest.WithEffects(func(string) int { return 0 })},
		"a store of Verify":             {verify, contracttest.WithSharedStore(func(testing.TB) store.Store { return nil })},
		"another tool of Verify":        {verify, contracttest.Case{Tool: "shelf.burn", Input: shelfInput{}}},
		"required of FuzzTool":          {fuzz, contracttest.WithRequired()},
		"a twin of FuzzTool":            {fuzz, contracttest.WithReadOnlyTwin(func(testing.TB) contracttest.Fixture { return contracttest.Fixture{} })},
		"a set-up of a case":            {fuzz, contracttest.Case{Input: shelfInput{}, Setup: func(testing.TB) {}}},
		"a caller of a case":            {fuzz, contracttest.Case{Input: shelfInput{}, As: contract.Principal{Subject: "anna"}}},
		"effects of FuzzTool":           {fuzz, contracttest.WithEffects(func(string) int { return 0 })},
		"another tool of FuzzTool":      {fuzz, contracttest.Case{Tool: "shelf.burn", Input: shelfInput{}}},
		"drawn of CheckIdempotency":     {check, contracttest.WithDrawn(3)},
		"state of CheckIdempotency":     {check, contracttest.WithState(func() any { return nil })},
		"allowances of the same":        {check, contracttest.WithAllowance("/tmp", "a cache")},
		"resources of CheckIdempotency": {check, contracttest.WithResource(contracttest.Resource{Created: map[string]string{"orders.pay": "/number"}})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := checked(t, func(t testing.TB) { c.call(t, c.option) })
			assert.Regexp(t, "only .* can use it|is not called here", text)
		})
	}
}

func TestWithAccepted_IsLoggedAndRefusedIfItIsStale(t *testing.T) {
	t.Parallel()
	accepted := contracttest.WithAccepted("handler.panic", "The shelf is short.")
	broken := contracttest.Case{Input: shelfInput{Place: 500}}

	f := &failing{TB: t}
	contracttest.CheckCalls(f, []*contract.Tool{shelf(t, far)}, accepted, broken)
	assert.False(t, f.failed)
	assert.Contains(t, f.text(), "contradicted [handler.panic]")
	assert.Contains(t, f.text(), "(accepted: The shelf is short.)")

	text := checked(t, func(t testing.TB) { contracttest.CheckCalls(t, []*contract.Tool{shelf(t, near)}, accepted) })
	assert.Contains(t, text, "nothing contradicts handler.panic any more")

	again := contracttest.WithAccepted("idempotent.secondEffect", "The bank pays twice.")
	twice := func(b *bank, _ context.Context, in payment) (receipt, error) { b.pay(in); return b.pay(in), nil }
	assert.Empty(t, history(t, managed, twice, again))
	assert.Contains(t, history(t, managed, plainly, again), "nothing contradicts idempotent.secondEffect any more")
}

func TestHandlers_ThatEndTheirGoroutineContradict(t *testing.T) {
	t.Parallel()
	exits := func(shelfInput) (shelfOutput, error) {
		runtime.Goexit() // as FailNow of a test does
		return shelfOutput{}, nil
	}
	verified := checked(t, func(t testing.TB) { contracttest.Verify(t, shelf(t, exits), contracttest.WithDrawn(1)) })
	assert.Contains(t, verified, "contradicted [handler.panic]")
	fuzzed := checked(t, func(t testing.TB) { contracttest.CheckCalls(t, []*contract.Tool{shelf(t, exits)}) })
	assert.Contains(t, fuzzed, "contradicted [handler.panic]")
}

func TestCheckIdempotency_FailsIfAHandlerNeverReturns(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	assert.Contains(t, history(t, managed, func(b *bank, _ context.Context, in payment) (receipt, error) {
		<-end
		return b.pay(in), nil
	}, contracttest.WithCallLimit(300*time.Millisecond)), "did not end within its limit")
}

func TestFixtures_OfSeveralToolsHaveTheOneThatIsVerified(t *testing.T) {
	t.Parallel()
	fixture := contracttest.WithFixture(func(t testing.TB) contracttest.Fixture {
		return contracttest.Fixture{Tools: []*contract.Tool{shelf(t, far)}}
	})
	text := checked(t, func(t testing.TB) {
		contracttest.Verify(t, shelf(t, near), fixture, contracttest.Case{Input: shelfInput{Place: 500}})
	})
	assert.Contains(t, text, "contradicted [handler.panic]")
}

func TestVerify_AsksThePersonAndTheGuardOfItsOptions(t *testing.T) {
	t.Parallel()
	forbid := func(context.Context, guard.Action) error { return errors.New("forbidden") }
	for name, c := range map[string]struct {
		option contracttest.VerifyOption
		runs   bool
	}{
		"a person who approves":      {contracttest.WithPerson(contracttest.Approve), true},
		"a person who declines":      {contracttest.WithPerson(contracttest.Decline), false},
		"a guard with an authorizer": {contracttest.WithGuard(guard.WithAuthorizer(forbid)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var runs atomic.Int64
			tool, err := contract.New("shelf.read", func(context.Context, shelfInput) (shelfOutput, error) {
				runs.Add(1)
				return shelfOutput{Book: "Emma"}, nil
			}).Title("Shelf").Description("Reads a book.").Version("1.0.0").Trust(trust.Trusted).
				Effect(risk.ReadOnly).Permissions("shelf:read").ConfirmAlways().Build()
			require.NoError(t, err)
			text := checked(t, func(t testing.TB) { contracttest.Verify(t, tool, c.option, contracttest.WithoutKernel()) })
			assert.Equal(t, c.runs, runs.Load() > 0, text)
			assert.Equal(t, !c.runs, strings.Contains(text, "handler.notReached"), text)
		})
	}
}
