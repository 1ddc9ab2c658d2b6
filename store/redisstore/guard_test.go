package redisstore_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/trust"
)

type payIn struct {
	Amount int `json:"amount"`
}

type payOut struct {
	Balance int `json:"balance"`
}

var errNoFunds = contract.Retryable("no_funds", "The account is empty.")

// A payer pays, or fails.
type payer struct {
	fails atomic.Bool
	runs  atomic.Int64
}

func (p *payer) pay(context.Context, payIn) (payOut, error) {
	p.runs.Add(1)
	if p.fails.Load() {
		return payOut{}, errNoFunds.Errorf("the account is empty")
	}
	return payOut{}, nil
}

// replica serves the tool of p on a store. A managed tool takes the client's
// key.
func (p *payer) replica(t *testing.T, s *redisstore.Store, managed bool, retries int) *contracttest.Client {
	t.Helper()
	b := contract.New("pay.now", p.pay).Description("Pays.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("pay").Failures(errNoFunds)
	if managed {
		b = b.Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true})
	}
	return contracttest.NewClient(t, []*contract.Tool{b.MustBuild()}, guard.WithStore(s), guard.WithNamespace("bank"),
		guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithRetryBudget(retries, time.Hour)).As(person("anna"))
}

func person(name string) contract.Principal {
	return contract.Principal{Issuer: "test", Subject: name, Permissions: []string{"pay"}}
}

var freshKey atomic.Int64

// pay makes a call with a fresh key, and returns the code of its outcome.
func pay(c *contracttest.Client) string {
	return c.WithKey(fmt.Sprint(freshKey.Add(1))).Call("pay.now", payIn{1}).Outcome.Code
}

func eachMode(t *testing.T, test func(t *testing.T, managed bool)) {
	t.Helper()
	for _, managed := range []bool{false, true} {
		t.Run(fmt.Sprintf("managed=%t", managed), func(t *testing.T) {
			t.Parallel()
			test(t, managed)
		})
	}
}

func TestGuard_ReplicasCountRetriesTogether(t *testing.T) {
	t.Parallel()
	eachMode(t, func(t *testing.T, managed bool) {
		s, _ := counted(t)
		onA, onB := &payer{}, &payer{}
		onA.fails.Store(true)
		onB.fails.Store(true)
		a, b := onA.replica(t, s, managed, 3), onB.replica(t, s, managed, 3)
		for range 2 {
			assert.Equal(t, "no_funds", pay(a))
		}
		onB.fails.Store(false)
		require.Empty(t, pay(b), "a success resets the count of all replicas")
		for range 3 {
			assert.Equal(t, "no_funds", pay(a))
		}
		assert.Equal(t, contract.CodeRetryBudgetExhausted, pay(b))
		assert.EqualValues(t, 1, onB.runs.Load(), "an exhausted call does not run")
		assert.Equal(t, contract.CodeRetryBudgetExhausted, pay(a))
		assert.EqualValues(t, 5, onA.runs.Load())
		assert.Empty(t, pay(b.As(person("carol"))), "another principal has its own budget")
	})
}

func TestGuard_BoundsRetriesOfConcurrentCalls(t *testing.T) {
	t.Parallel()
	const callers, retries = 100, 3
	eachMode(t, func(t *testing.T, managed bool) {
		s, _ := counted(t)
		p := &payer{}
		p.fails.Store(true)
		replicas := []*contracttest.Client{p.replica(t, s, managed, retries), p.replica(t, s, managed, retries)}
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				for {
					keyed := replicas[i%2].WithKey(fmt.Sprint(freshKey.Add(1)))
					r, err := keyed.Try("pay.now", payIn{1})
					if !assert.NoError(t, err) || r.Outcome.Code == contract.CodeRetryBudgetExhausted {
						return
					}
				}
			})
		}
		group.Wait()
		ran := p.runs.Load()
		assert.GreaterOrEqual(t, ran, int64(retries))
		assert.Less(t, ran, int64(callers+retries), "all began within the budget")
		assert.Equal(t, contract.CodeRetryBudgetExhausted, pay(replicas[0]))
		assert.Equal(t, ran, p.runs.Load())
	})
}

func TestGuard_NeedsFewRoundTrips(t *testing.T) {
	t.Parallel()
	eachMode(t, func(t *testing.T, managed bool) {
		s, sent := counted(t)
		p := &payer{}
		anna := p.replica(t, s, managed, 2)
		carol := anna.As(person("carol"))
		p.fails.Store(true)
		pay(carol)
		p.fails.Store(false)
		pay(carol) // loads the scripts
		takes := func(managedTrips, unmanagedTrips int64, why string, call func()) {
			t.Helper()
			want := unmanagedTrips
			if managed {
				want = managedTrips
			}
			sent.n.Store(0)
			call()
			assert.Equal(t, want, sent.n.Load(), why)
		}
		again := func() contract.Status { return anna.WithKey("again").Call("pay.now", payIn{1}).Outcome.Status }
		takes(2, 1, "a first run", func() { again() })
		if managed {
			takes(1, 0, "a replay", func() { assert.Equal(t, contract.StatusReplayed, again()) })
		}
		payAsAnna := func() { pay(anna) }
		p.fails.Store(true)
		takes(3, 2, "a failure, which is counted", payAsAnna)
		p.fails.Store(false)
		takes(2, 2, "a success, which forgets it", payAsAnna)
		takes(2, 1, "a success, when there is nothing to forget", payAsAnna)
		p.fails.Store(true)
		for range 3 {
			pay(anna) // the last loads the script that finds the end of the window
		}
		takes(2, 1, "what is exhausted", func() { assert.Equal(t, contract.CodeRetryBudgetExhausted, pay(anna)) })
		takes(0, 0, "an anonymous caller", func() { pay(anna.As(contract.Principal{})) })
	})
}
