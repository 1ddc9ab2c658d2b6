package redisstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
	"github.com/toolcontract/toolcontract/trust"
)

// A ledger counts the tools' effects from the outside.
type ledger struct {
	mu      sync.Mutex
	effects map[string]int
}

func (l *ledger) add(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.effects == nil {
		l.effects = map[string]int{}
	}
	l.effects[key]++
}

func (l *ledger) of(key string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.effects[key]
}

type transferIn struct {
	To string `json:"to"`
}

type transferOut struct {
	Paid string `json:"paid"`
}

var (
	errTaken = contract.Retryable("already_exists", "The name is taken.")
	errCut   = errors.New("connection reset by peer")
)

// A chaos decides at random what fails. It is safe for concurrent use.
type chaos struct {
	mu     sync.Mutex
	random *rand.Rand
	faults atomic.Int64
}

// one returns true one time in n.
func (c *chaos) one(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	hit := c.random.IntN(n) == 0
	if hit {
		c.faults.Add(1)
	}
	return hit
}

func (c *chaos) number(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(n)
}

// RoundTrip sends a request to one of two replicas. Some requests do not reach
// it, some answers are lost, and some are cut.
type flakyNetwork struct {
	*chaos

	replicas []http.Handler
}

func (n *flakyNetwork) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	isCall := bytes.Contains(body, []byte(`"tools/call"`))
	if isCall && n.one(8) {
		return nil, errCut // before the server
	}
	request := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), bytes.NewReader(body))
	request.Header = r.Header.Clone()
	answer := httptest.NewRecorder()
	n.replicas[n.number(len(n.replicas))].ServeHTTP(answer, request)
	response := answer.Result()
	response.Request = r
	switch {
	case isCall && n.one(6):
		return nil, errCut // after the server
	case isCall && n.one(12):
		response.Body = io.NopCloser(bytes.NewReader(answer.Body.Bytes()[:n.number(answer.Body.Len()+1)]))
	case isCall && n.one(20):
		response.StatusCode, response.Body = http.StatusBadGateway, io.NopCloser(bytes.NewReader([]byte("bad gateway")))
	}
	return response, nil
}

// A flakyStore fails at some operations, before or after they took place.
type flakyStore struct {
	store.Store
	*chaos
}

func (s flakyStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if s.one(25) {
		return store.ClaimResult{}, errCut
	}
	r, err := s.Store.Claim(ctx, c)
	if s.one(25) {
		return store.ClaimResult{}, errCut
	}
	return r, err
}

func (s flakyStore) Complete(ctx context.Context, c store.Completion) error {
	if s.one(25) {
		return errCut
	}
	err := s.Store.Complete(ctx, c)
	if s.one(25) {
		return errCut
	}
	return err
}

// paying returns a tool whose runs fail at random, before and after the effect.
func (c *chaos) paying(l *ledger, name string) *contract.Builder[transferIn, transferOut] {
	return contract.New(name, func(_ context.Context, in transferIn) (transferOut, error) {
		if c.one(10) {
			return transferOut{}, errTaken.Errorf("try another one") // declared without an effect
		}
		if c.one(15) {
			return transferOut{}, errors.New("before the effect")
		}
		l.add(in.To)
		if c.one(15) {
			panic("after the effect")
		}
		return transferOut{in.To}, nil
	}).Description("Pays.").Version("1.0.0").Trust(trust.Trusted).Permissions("pay").Failures(errTaken)
}

// The outcomes of a call as its caller sees them.
type callOutcome string

const (
	outcomeDone    callOutcome = "done"
	outcomeNothing callOutcome = "nothing" // the caller may correct the call, because it had no effect
	outcomeUnknown callOutcome = "unknown"
	outcomeCount   callOutcome = "count"
)

type operation struct {
	outcome callOutcome
	effects int
	err     string
}

// callerModel is what the caller of one key relies on: a result means one
// effect, however often the call is repeated, and a RetryError means none.
var callerModel = porcupine.NondeterministicModel{
	Init: func() []any { return []any{0} },
	Step: func(state, _, output any) []any {
		effects, _ := state.(int)
		o, _ := output.(operation)
		switch o.outcome {
		case outcomeDone:
			return []any{1}
		case outcomeNothing:
			return []any{effects}
		case outcomeUnknown:
			return []any{effects, 1}
		case outcomeCount:
			if o.effects == effects {
				return []any{effects}
			}
		}
		return nil
	},
}

func TestThreat138_EffectsAndOutcomesAgreeOverTwoReplicasWithRandomFaults(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	seed := uint64(20261122)
	c := &chaos{random: rand.New(rand.NewPCG(seed, 1))}
	var l ledger
	tools := []*contract.Tool{
		c.paying(&l, "bank.note").Effect(risk.LowRiskWrite).Idempotency(contract.Idempotency{Mode: idempotency.Managed,
			ClientKey: true}).MustBuild(),
		c.paying(&l, "bank.plain").Effect(risk.LowRiskWrite).MustBuild(),
		c.paying(&l, "bank.transfer").Effect(risk.PaidOperation).MustBuild(),
	}
	network := &flakyNetwork{chaos: c}
	for range 2 {
		network.replicas = append(network.replicas, c.replica(t, url, tools))
	}
	dialer := client.New(client.HTTP{URL: "http://bank.test/mcp", Client: &http.Client{Transport: network}})
	agents := make([]*agent.Agent, 4)
	for i := range agents {
		a, err := agent.Connect(t.Context(), dialer, agent.Options{
			Host: agent.Host{Ask: func(_ context.Context, q agent.Question) (agent.Answer, error) {
				return q.Approve(), nil
			}},
			Limits: agent.Limits{Attempts: 6},
		})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		agents[i] = a
	}

	runs := longtest.Count(t, 100, 1000)
	var outcomes sync.Map
	work := make(chan int)
	var workers sync.WaitGroup
	for w := range 32 {
		workers.Go(func() {
			for i := range work {
				tool := []string{"bank_note", "bank_plain", "bank_transfer"}[i%3]
				history := run(t, agents, w, tool, fmt.Sprint("to", i), &l)
				for _, o := range history {
					out, _ := o.Output.(operation)
					n, _ := outcomes.LoadOrStore(out.outcome, new(atomic.Int64))
					if counter, ok := n.(*atomic.Int64); ok {
						counter.Add(1)
					}
				}
				if got := porcupine.CheckOperationsTimeout(callerModel.ToModel(), history, 10*time.Second); got != porcupine.Ok {
					t.Errorf("run %d of %s (seed %d): %v: %+v", i, tool, seed, got, history)
				}
			}
		})
	}
	for i := range runs {
		work <- i
	}
	close(work)
	workers.Wait()
	assert.Greater(t, c.faults.Load(), int64(runs/2), "the faults happened")
	for _, o := range []callOutcome{outcomeDone, outcomeNothing, outcomeUnknown} {
		_, happened := outcomes.Load(o)
		assert.True(t, happened, "no call had the outcome %s", o)
	}
}

// replica returns a server that shares the store with others.
func (c *chaos) replica(t *testing.T, url string, tools []*contract.Tool) http.Handler {
	t.Helper()
	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	server := redis.NewClient(opts)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	shared, err := redisstore.New(server)
	require.NoError(t, err)
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithStore(flakyStore{shared, c}),
		guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)),
		guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithRateLimit(1_000_000, time.Second), guard.WithRetryBudget(0, 0),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal, error) {
			return person("anna"), nil
		})))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close(context.WithoutCancel(t.Context()))) })
	h, err := mcpgo.NewHandler("bank", "1.0.0", g, mcpgo.WithTools(tools...), mcpgo.WithTier(contract.TierFull))
	require.NoError(t, err)
	return h
}

// run makes the calls of one run and counts their effects. Two agents make each
// deduplicated call at once with the same key, and a third repeats it.
func run(t *testing.T, agents []*agent.Agent, worker int, tool, to string, l *ledger) []porcupine.Operation {
	t.Helper()
	began := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation
	record := func(client int, start time.Duration, o operation) {
		mu.Lock()
		defer mu.Unlock()
		history = append(history, porcupine.Operation{ClientId: client, Call: int64(start), Output: o,
			Return: int64(time.Since(began))})
	}
	call := func(client int, opts ...agent.CallOption) {
		start := time.Since(began)
		_, err := agents[(worker+client)%len(agents)].Call(t.Context(), tool, transferIn{To: to}, opts...)
		var retry *agent.RetryError
		var fatal *agent.FatalError
		switch {
		case err == nil:
			record(client, start, operation{outcome: outcomeDone})
		case errors.As(err, &retry):
			record(client, start, operation{outcome: outcomeNothing, err: fmt.Sprintf("%v %v %v", err, retry.Attempts, retry.Outcome)})
		case errors.As(err, &fatal):
			record(client, start, operation{outcome: outcomeUnknown})
		default:
			t.Errorf("the error is neither a RetryError nor a FatalError: %v", err)
		}
	}
	if tool == "bank_note" {
		var both sync.WaitGroup
		for client := range 2 {
			both.Go(func() { call(client, agent.WithKey(to)) })
		}
		both.Wait()
		call(2, agent.WithKey(to))
	} else {
		call(0)
	}
	start := time.Since(began)
	record(3, start, operation{outcome: outcomeCount, effects: l.of(to)})
	return history
}
