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

// A harnessTB is the testing.TB of one harness. It ends before the test it
// belongs to, and what the guard reports on closing does not fail that test.
type harnessTB struct {
	testing.TB

	ctx      context.Context
	mu       sync.Mutex
	cleanups []func()
}

// Context ends with the harness.
func (t *harnessTB) Context() context.Context { return t.ctx }

// Cleanup runs f when the harness closes.
func (t *harnessTB) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// end runs the cleanups, last one first.
func (t *harnessTB) end() {
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

// A clientTB is the testing.TB of a harness's [contracttest.Client]. A guard
// that cannot wait for a handler is an observation, not a failure.
type clientTB struct{ *harnessTB }

// Errorf drops the message.
func (clientTB) Errorf(string, ...any) {}

// A harness makes calls with fresh state and a guard of its own.
type harness struct {
	*verifier
	t      *harnessTB
	runLog *runLog
	client *contracttest.Client
	of     Fixture
	log    *Log
	store  *storeSpy
	end    context.CancelFunc
}

// open sets up a harness for an input.
func (v *verifier) open(in input, l *runLog) *harness {
	v.t.Helper()
	ctx, end := context.WithTimeout(context.WithoutCancel(v.context()), v.config.limit)
	h := &harness{verifier: v, t: &harnessTB{TB: v.t, ctx: ctx}, runLog: l, log: &Log{}, end: end}
	f, err := v.newFixture(h.t)
	if err != nil {
		v.t.Fatalf("verify: %s: WithFixture: %v", v.doc.Name, err)
	}
	h.of = f
	for _, setup := range slices.Concat(v.config.setups, []func(testing.TB){in.setup}) {
		if setup != nil {
			setup(h.t)
		}
	}
	tools := append(f.beside(f.Tool), l.instrument(inWindow(v.witness, f.Tool)))
	h.client, h.store = newClient(h.t, h.log, f.Store, tools,
		guard.WithTimes(guard.Times{Drain: patience}))
	h.client = h.client.As(v.caller(in))
	// The first event starts the audit log's goroutine, which must not count as
	// started by a call.
	_, _ = h.client.Try("verify.none", nil) // there is no such tool
	if i := v.doc.Idempotency; i != nil && i.ClientKey {
		h.client = h.client.WithKey("verify")
	}
	return h
}

// newClient returns a client of tools whose log and store are searched. The
// store is in memory, unless a tool is atomic: then it is the fixture's.
func newClient(
	t *harnessTB, log *Log, of store.Store, tools []*contract.Tool, opts ...guard.Option,
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

// sealingKey returns the sealing key for guards whose store may not be in
// memory.
func sealingKey() []byte { return bytes.Repeat([]byte("k"), 32) }

var errNoTransactor = errors.New("a tool is atomic, and its handler writes in a transaction of the store: " +
	"give a Fixture with the Store of sqlstore.Open for a fresh database")

func isAtomic(d contract.Document) bool { return d.Idempotency != nil && d.Idempotency.Atomic }

func (v *verifier) context() context.Context { return v.t.Context() }

// caller returns a case's principal.
func (v *verifier) caller(in input) contract.Principal {
	switch {
	case in.as.Subject != "":
		return in.as
	case len(v.config.callers) > 0:
		return v.config.callers[0]
	}
	return principalFor(v.doc)
}

// principalFor returns a person who may call all the tools.
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

// approve answers questions like a person who approves everything and types the
// word asked for.
func approve(q people.Question) contracttest.ElicitResult {
	if q.Word != "" {
		return contracttest.Type(q.Word)(q)
	}
	return contracttest.Approve(q)
}

func (h *harness) close() {
	h.t.end()
	h.end()
}

func (h *harness) snapshot() state.Snapshot {
	if h.of.State == nil {
		return nil
	}
	return state.Of(h.of.State())
}

// trees reads the fixture's folders.
func (h *harness) trees() []witness.Snapshot {
	all := make([]witness.Snapshot, len(h.of.Folders))
	for i, folder := range h.of.Folders {
		tree, err := witness.Tree(folder)
		if err != nil {
			h.t.Fatalf("verify: %s: %v", h.doc.Name, err)
		}
		all[i] = tree
	}
	return all
}
