package verify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify/internal/state"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A trialTB is the test of one trial. It ends before the test that it belongs
// to, and what the guard reports when it closes does not fail that one.
type trialTB struct {
	testing.TB

	ctx      context.Context
	mu       sync.Mutex
	cleanups []func()
}

// Context ends with the trial.
func (t *trialTB) Context() context.Context { return t.ctx }

// Cleanup runs f when the trial ends.
func (t *trialTB) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// end runs the cleanups, the last one first.
func (t *trialTB) end() {
	for {
		t.mu.Lock()
		n := len(t.cleanups)
		if n == 0 {
			t.mu.Unlock()
			return
		}
		f := t.cleanups[n-1]
		t.cleanups = t.cleanups[:n-1]
		t.mu.Unlock()
		f()
	}
}

// A clientTB is the test of a [contracttest.Client] within a trial. A guard
// that cannot wait for a handler is an observation, and no failure.
type clientTB struct{ *trialTB }

// Errorf drops the message.
func (clientTB) Errorf(string, ...any) {}

// A trial makes calls on one fresh state and one fresh guard.
type trial struct {
	*verifier
	t      *trialTB
	runLog *runLog
	client *contracttest.Client
	of     Fixture
	log    *Log
	store  *storeSpy
	end    context.CancelFunc
}

// open starts a trial of an input.
func (v *verifier) open(in input, l *runLog) *trial {
	v.t.Helper()
	ctx, end := context.WithTimeout(context.WithoutCancel(v.context()), v.config.limit)
	tr := &trial{verifier: v, t: &trialTB{TB: v.t, ctx: ctx}, runLog: l, log: &Log{}, end: end}
	f, err := v.fixtureOf(tr.t)
	if err != nil {
		v.t.Fatalf("verify: %s: WithFixture: %v", v.doc.Name, err)
	}
	tr.of = f
	for _, setup := range slices.Concat(v.config.setups, []func(testing.TB){in.setup}) {
		if setup != nil {
			setup(tr.t)
		}
	}
	tr.client, tr.store = newClient(tr.t, tr.log, f.Store, []*contract.Tool{l.observed(inWindow(v.witness, f.Tool))},
		guard.WithTimes(guard.Times{Drain: patience}))
	tr.client = tr.client.As(v.caller(in))
	// The first event starts the goroutine of the audit log, which must not
	// count as one of a call.
	_, _ = tr.client.Try("verify.none", nil) // there is no such tool
	if i := v.doc.Idempotency; i != nil && i.ClientKey {
		tr.client = tr.client.WithKey("verify")
	}
	return tr
}

// newClient returns a client of tools whose log and store are searched. The
// store is in memory, or that of the fixture if a tool is atomic.
func newClient(
	t *trialTB, log *Log, of store.Store, tools []*contract.Tool, opts ...guard.Option,
) (*contracttest.Client, *storeSpy) {
	memory, err := store.NewMemory()
	if err != nil {
		t.Fatalf("verify: %v", err)
	}
	spy := &storeSpy{Store: memory}
	var shared store.Store = spy
	if slices.ContainsFunc(tools, func(tool *contract.Tool) bool { return isAtomic(tool.Document()) }) {
		transactor, ok := of.(store.Transactor)
		if !ok {
			t.Fatalf("verify: %v", errNoTransactor)
		}
		spy.Store = transactor
		shared = transactorSpy{spy, transactor}
		opts = append(opts, guard.WithSealingKeys(sealingKey()))
	}
	opts = append(opts, guard.WithStore(shared),
		guard.WithLogger(slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))))
	return contracttest.NewClient(clientTB{t}, tools, opts...).Answering(approve), spy
}

// sealingKey returns the key of guards whose store may not be in memory.
func sealingKey() []byte { return bytes.Repeat([]byte("k"), 32) }

var errNoTransactor = errors.New("a tool is atomic, and its handler writes in a transaction of the store: " +
	"give a Fixture with the Store of sqlstore.Open for a fresh database")

func isAtomic(d contract.Document) bool { return d.Idempotency != nil && d.Idempotency.Atomic }

// context returns the context of the test, which an example does not have.
func (v *verifier) context() context.Context { return v.t.Context() }

// caller returns the principal of a case.
func (v *verifier) caller(in input) contract.Principal {
	switch {
	case in.as.Subject != "":
		return in.as
	case len(v.config.callers) > 0:
		return v.config.callers[0]
	}
	return principalFor(v.doc)
}

// principalFor returns a person who may make all calls of some tools.
func principalFor(docs ...contract.Document) contract.Principal {
	p := contract.Principal{Subject: "verify", Human: true, AuthTime: time.Now()}
	for _, d := range docs {
		p.Permissions = append(append(p.Permissions, d.Permissions...), d.DiscoverWith...)
		if d.StepUp != nil && d.StepUp.ACR != "" {
			p.ACR = d.StepUp.ACR
		}
	}
	slices.Sort(p.Permissions)
	p.Permissions = slices.Compact(p.Permissions)
	return p
}

// approve answers questions as a person who approves everything and types the
// demanded word.
func approve(q people.Question) contracttest.ElicitResult {
	if q.Word != "" {
		return contracttest.Type(q.Word)(q)
	}
	return contracttest.Approve(q)
}

func (tr *trial) close() {
	tr.t.end()
	tr.end()
}

func (tr *trial) snapshot() state.Snapshot {
	if tr.of.State == nil {
		return nil
	}
	return state.Of(tr.of.State())
}

// trees reads the folders of the fixture.
func (tr *trial) trees() []witness.Snapshot {
	all := make([]witness.Snapshot, len(tr.of.Folders))
	for i, folder := range tr.of.Folders {
		tree, err := witness.Tree(folder)
		if err != nil {
			tr.t.Fatalf("verify: %s: %v", tr.doc.Name, err)
		}
		all[i] = tree
	}
	return all
}
