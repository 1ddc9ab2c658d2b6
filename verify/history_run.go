package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// A historyRun records one history.
type historyRun struct {
	*histories

	faulty   bool                                                     // the store fails at times
	stores   []store.Store                                            // of the replicas. Nil: they share the fixture's
	asked    func(context.Context, func(context.Context) error) error // runs Reconcile. Nil: directly
	guards   []*guard.Guard
	replicas []*adapter.Table // one per guard
	ctx      context.Context
	began    time.Time

	counting sync.Mutex // held while the effects are counted

	mu         sync.Mutex
	runs       []int // by key
	tooEarly   []int // by key: the effects seen before a commit
	succeeded  bool  // a call succeeded, or its success was replayed
	operations []porcupine.Operation
}

func (r *historyRun) open(t *harnessTB) error {
	for _, setup := range r.setups {
		setup(t)
	}
	tool, made := r.tool, Fixture{}
	if r.fixture != nil {
		made = r.fixture(t)
		if named := made.named(r.doc.Name); named != nil {
			tool = named
		}
		if tool.Digest() != r.tool.Digest() {
			return errOtherContract
		}
	}
	if r.stores == nil {
		shared, err := r.openStore(made.Store)
		if err != nil {
			return err
		}
		r.stores = slices.Repeat([]store.Store{shared}, historyReplicas)
	}
	watched := r.instrument(tool)
	caller := (&verifier{tool: tool, doc: r.doc, config: &r.settings}).caller(input{})
	for _, s := range r.stores {
		g, err := guard.New(
			guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithStore(s), guard.WithAudit(&audit.Recorder{}),
			guard.WithSealingKeys(sealingKey()), guard.WithRateLimit(1_000_000, time.Second),
			guard.WithRetryBudget(0, 0), guard.WithTimes(guard.Times{Drain: patience, Lease: lossLease}),
			guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (contract.Principal, error) { return caller, nil })),
		)
		if err != nil {
			return err
		}
		r.guards = append(r.guards, g)
		served, err := adapter.NewTable(g, adapter.Config{Tools: append(made.beside(tool), watched), Server: "verify"})
		if err != nil {
			return err
		}
		r.replicas = append(r.replicas, served)
	}
	return nil
}

// close waits for handlers that are still running, because their effects may
// come later.
func (r *historyRun) close(ctx context.Context) {
	for _, g := range r.guards {
		_ = g.Close(ctx) // a handler that never returns is an observation
	}
}

// openStore returns the store that the replicas share. A nil shared means a
// store in memory.
func (r *historyRun) openStore(shared store.Store) (store.Store, error) {
	if shared == nil {
		memory, err := store.NewMemory()
		if err != nil {
			return nil, err
		}
		shared = memory
	}
	transactor, ok := shared.(store.Transactor)
	switch {
	case r.atomic() && !ok:
		return nil, errNoTransactor
	case r.faulty && r.atomic():
		shared = &faultyTransactor{faultyStore: &faultyStore{Store: shared}, of: transactor}
	case r.faulty:
		shared = &faultyStore{Store: shared}
	}
	return shared, nil
}

// A runMark travels in a call's context: its key, and how often the handler ran
// for it.
type runMark struct {
	key  int
	lost *lostCall // nil: the call is not lost
	mu   sync.Mutex
	runs int
	// passed is the key that the handler passes on.
	passed string
}

type runMarkKey struct{}

// errInjected is an error that no contract declares.
var errInjected = errors.New("verify: the function fails for the test")

// instrument returns a copy of the tool whose runs are counted and, at times,
// made to fail.
func (r *historyRun) instrument(tool *contract.Tool) *contract.Tool {
	return observe.Observed(tool, observe.Observer{Handler: r.run, Reconcile: r.asked})
}

// run counts a run of the handler and fails it if it is its turn.
func (r *historyRun) run(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	mark, ok := ctx.Value(runMarkKey{}).(*runMark)
	if !ok {
		return run(ctx)
	}
	mark.mu.Lock()
	mark.runs++
	mark.passed, _ = guard.IdempotencyKey(ctx)
	mark.mu.Unlock()
	if mark.lost != nil {
		return mark.lost.run(ctx, run)
	}
	r.mu.Lock()
	n := r.runs[mark.key]
	r.runs[mark.key]++
	r.mu.Unlock()
	fault := faultOf(mark.key, n)
	if r.faulty && r.atomic() || r.asked != nil {
		fault = faultNone // transactions fail instead, or processes
	}
	if fault == faultBefore {
		return nil, errInjected
	}
	out, err := run(ctx)
	r.countEarlyEffects(mark.key)
	switch fault {
	case faultAfter:
		return out, errInjected
	case faultPanic:
		panic(errInjected) //nolint:forbidigo // the guard contains it
	case faultNone, faultBefore:
	}
	return out, err
}

// call makes one call, records it and returns its answer.
func (r *historyRun) call(caller, key int) historyAnswer { return r.callAs(caller, &runMark{key: key}) }

func (r *historyRun) callAs(caller int, mark *runMark) historyAnswer {
	on := r.replicas[caller%len(r.replicas)]
	began := time.Since(r.began)
	result, err := r.send(on, mark)
	answer := r.answer(result, err, mark)
	o := porcupine.Operation{
		ClientId: caller, Input: historyInput{key: mark.key}, Output: answer,
		Call: began.Nanoseconds(), Return: time.Since(r.began).Nanoseconds(),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
	r.succeeded = r.succeeded || err == nil && !result.IsError
	return answer
}

func (r *historyRun) send(on *adapter.Table, mark *runMark) (*adapter.CallResult, error) {
	arguments := r.inputs[mark.key]
	ctx := context.WithValue(r.ctx, runMarkKey{}, mark)
	request := func(arguments json.RawMessage) adapter.Request {
		req := adapter.Request{Arguments: arguments, Client: approvingClient}
		if r.doc.Idempotency.ClientKey {
			req.Meta = map[string]any{contract.MetaKeyIdempotencyKey: fmt.Sprintf("key-%d", mark.key)}
		}
		return req
	}
	entry := on.EntryOf(r.doc.Name)
	if r.doc.DryRun == dryrun.Required {
		preview, err := on.Call(ctx, entry, request(withMember(arguments, "dryRun", true)))
		if err != nil || preview.IsError {
			return preview, err
		}
		arguments = withMember(arguments, "dryRunToken", dryRunToken(preview.Structured))
	}
	return on.Call(ctx, entry, request(arguments))
}

// approvingClient is a client whose user approves every question.
var approvingClient = adapter.Client{
	Capabilities: adapter.Capabilities{Elicitation: &adapter.ElicitationCapability{}},
	Ask: func(_ context.Context, e adapter.Elicitation) (json.RawMessage, error) {
		return json.Marshal(approve(people.Question{Word: e.Word}))
	},
}

// countOf returns how often a key's effect happened, or zero if nobody counts.
func (r *historyRun) countOf(key int) int {
	if r.effects == nil {
		return 0
	}
	return r.effects(string(r.inputs[key]))
}

// count records how often each key's effect happened.
func (r *historyRun) count() {
	if r.effects == nil {
		return
	}
	for key := range r.inputs {
		at := time.Since(r.began).Nanoseconds()
		r.operations = append(r.operations, porcupine.Operation{
			ClientId: historyCallers, Input: historyInput{key: key, count: true},
			Output: historyAnswer{kind: counted, effects: r.countOf(key)},
			Call:   at, Return: at + 1,
		})
	}
}

// A handlerFault is how a run is made to fail.
type handlerFault int

const (
	faultNone handlerFault = iota
	faultAfter
	faultBefore
	faultPanic
)

// faultOf returns the fault of the n-th run for a key. Only the first runs
// fail, so that a key whose contract allows a rerun succeeds in the end.
func faultOf(key, n int) handlerFault {
	if n > 0 {
		return faultNone
	}
	return handlerFault(key % 4)
}

// errStore is the error of an injected store failure.
var errStore = errors.New("verify: the store fails for the test")

// A faultyStore fails some operations, before or after they take place.
type faultyStore struct {
	store.Store

	mu                 sync.Mutex
	claims, completion int
}

func (s *faultyStore) next(n *int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	*n++
	return *n
}

// Claim fails every seventh time before claiming, and every eleventh time after
// it.
func (s *faultyStore) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	n := s.next(&s.claims)
	if n%7 == 0 {
		return store.ClaimResult{}, errStore
	}
	result, err := s.Store.Claim(ctx, c)
	if n%11 == 0 {
		return store.ClaimResult{}, errStore
	}
	return result, err
}

// Complete fails every third time, alternating between before and after it
// takes place.
func (s *faultyStore) Complete(ctx context.Context, c store.Completion) error {
	switch n := s.next(&s.completion); n % 6 {
	case 3:
		return errStore
	case 0:
		_ = s.Store.Complete(ctx, c) // its answer is lost
		return errStore
	}
	return s.Store.Complete(ctx, c)
}
