package verify

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/store"
)

// A loss is a way in which a call ends without a record, so that a repetition
// asks the system.
type loss struct {
	name string
	when moment // when the handler of the lost call acts
	dies bool   // its process never writes to the store again
}

// A moment is when the handler of a lost call acts. The zero value is never.
type moment int

const (
	before    moment = 1 + iota // its process is lost
	meanwhile                   // the system has looked, and has not answered yet
	after                       // the first repetition was answered
)

var losses = []loss{
	{"the process died before the handler ran", 0, true},
	{"the process died after the handler ran", before, true},
	{"the effect came while the system was asked", meanwhile, true},
	{"the effect came after the system was asked", after, true},
	{"the process was stopped, and went on after the system was asked", after, false},
}

const (
	lossLease     = 30 * time.Second
	lossQuestion  = 10 * time.Second // the longest time in which nobody asks again
	lossQuestions = 4                // how often a lost call is repeated
)

// A lostCall is one call that is lost.
type lostCall struct {
	loss

	key  int
	at   string        // in messages
	held chan struct{} // closed once the handler is called
	acts chan struct{} // closed to let the handler act
	over chan struct{} // closed once the call is answered and its handler has ended
	act  func()        // lets the handler act, and waits until it has

	running  sync.Mutex // held while the handler runs, which may outlast its call
	passed   string     // the key that the handler passes on
	happened bool       // the handler has succeeded
	answered bool
	answer   historyAnswer
}

// run runs the handler of the lost call.
func (l *lostCall) run(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
	l.running.Lock()
	defer l.running.Unlock()
	if l.answered {
		return nil, errInjected
	}
	l.passed, _ = guard.IdempotencyKey(ctx)
	close(l.held)
	if l.when != before {
		<-l.acts
	}
	if l.when == 0 {
		return nil, errInjected
	}
	out, err := run(context.WithoutCancel(ctx)) // a process that goes on does not know that it is late
	l.happened = err == nil
	return out, err
}

// A deadStore is the store of a process that dies in its handler: its later
// writes do not arrive.
type deadStore struct{ store.Store }

func (deadStore) Complete(context.Context, store.Completion) error { return store.ErrLost }

func (deadStore) Release(context.Context, store.Release) error { return store.ErrLost }

// A lossRun loses the calls of one fixture, and judges what Reconcile answers.
type lossRun struct {
	*historyRun

	clock atomic.Int64 // how far that of the store is ahead
	lost  *lostCall    // what Reconcile is asked about

	mu                      sync.Mutex // held while the system is asked
	untrue, changes, silent *claim
}

// checkLosses loses calls in every way, if Reconcile is declared.
func (h *histories) checkLosses(tb testing.TB) ([]Judgement, error) {
	tb.Helper()
	if h.doc.Reconcile == nil {
		return nil, nil
	}
	x := &lossRun{
		untrue: &claim{rule: ruleReconcileUntrue}, changes: &claim{rule: ruleReconcileEffect},
		silent: &claim{rule: ruleReconcileNoAnswer},
	}
	for _, l := range losses {
		if err := x.lose(tb, h, l); err != nil {
			return nil, err
		}
	}
	v := &verifier{tool: h.tool, doc: h.doc, config: &h.settings}
	for _, c := range x.claims() {
		v.conclude(c)
	}
	return notConsistent(v.judgements), nil
}

func (x *lossRun) claims() []*claim { return []*claim{x.untrue, x.changes, x.silent} }

// isBroken reports whether a rule is broken. After that, no more calls are lost.
func (x *lossRun) isBroken() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.ContainsFunc(x.claims(), func(c *claim) bool { return len(c.contradictions) > 0 })
}

// lose loses one call of each key.
func (x *lossRun) lose(tb testing.TB, h *histories, l loss) error {
	tb.Helper()
	began := time.Now()
	memory, err := store.NewMemory(store.WithClock(func() time.Time { return began.Add(time.Duration(x.clock.Load())) }))
	if err != nil {
		return err
	}
	r, t, end := h.newRun(tb)
	defer end()
	r.asked, r.stores = x.ask, []store.Store{memory, memory}
	if l.dies {
		r.stores[0] = deadStore{memory}
	}
	x.historyRun = r
	if err := r.open(t); err != nil {
		return err
	}
	all := func() {
		for key := range h.inputs {
			if !x.isBroken() {
				x.loseCall(l, key)
			}
		}
	}
	if !waitFor(all, h.limit+patience) {
		return errHung
	}
	r.close(context.WithoutCancel(r.ctx))
	return nil
}

// loseCall makes a call that is lost, and repeats it until its outcome is
// known.
func (x *lossRun) loseCall(way loss, key int) {
	l := &lostCall{
		loss: way, key: key, at: fmt.Sprintf("input %s: %s", oneLine(string(x.inputs[key])), way.name),
		held: make(chan struct{}), acts: make(chan struct{}), over: make(chan struct{}),
	}
	l.act = sync.OnceFunc(func() {
		close(l.acts)
		<-l.over
	})
	go func() {
		defer close(l.over)
		a := x.callAs(0, &runMark{key: l.key, lost: l})
		l.running.Lock()
		defer l.running.Unlock()
		l.answer, l.answered = a, true
	}()
	defer l.act()
	select {
	case <-l.held:
	case <-l.over:
	}
	if l.passed == "" {
		x.untrue.doubt("%s: the call did not reach the handler", l.name)
		return
	}
	if l.when == before {
		l.act()
	}
	x.lost = l
	x.clock.Add(int64(lossLease + time.Millisecond))
	var a historyAnswer
	for i := 0; i < lossQuestions && (a.kind == outcomeUnknown || a.kind == refused) && !x.isBroken(); i++ {
		a = x.call(1, l.key)
		x.judgeAnswer(l, a, i)
		if l.when == after {
			l.act()
		}
		x.clock.Add(int64(max(x.doc.Reconcile.Quiet, lossQuestion)))
	}
	l.act()
	if !x.isBroken() {
		x.judgeEnd(l, a)
	}
}

// ask runs Reconcile, first with a context that has ended.
func (x *lossRun) ask(ctx context.Context, run func(context.Context) error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.lost
	for _, c := range x.claims() {
		c.shown++
	}
	var told error
	var panicked any
	asking := func(ctx context.Context) {
		defer func() { panicked = recover() }()
		told = run(ctx)
	}
	effects := x.countOf(l.key)
	over, cancel := context.WithCancel(ctx)
	cancel()
	if !waitFor(func() { asking(over) }, patience) {
		x.silent.contradict(l.at, "Reconcile did not return within %v of the end of its context", patience)
		return errInjected
	}
	if panicked == nil {
		asking(ctx)
	}
	if panicked != nil {
		x.silent.contradict(l.at, "Reconcile panicked: %s", oneLine(fmt.Sprint(panicked)))
		return errInjected
	}
	if n := x.countOf(l.key); n != effects {
		x.changes.contradict(l.at, "the effect was counted %d times before Reconcile, and %d times after it", effects, n)
	}
	if l.when == meanwhile {
		l.act()
	}
	return told
}

// judgeAnswer judges the answer to the i-th repetition.
func (x *lossRun) judgeAnswer(l *lostCall, a historyAnswer, i int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	again := a.passed == l.passed
	deduplicates := x.doc.Idempotency.OnUnknown == idempotency.Rerun
	switch {
	case a.kind == replayed && !l.happened:
		x.untrue.contradict(l.at, "Reconcile answered Happened, but no handler had succeeded")
	case a.kind == replayed && l.answer.kind == done && a.value != l.answer.value:
		x.untrue.contradict(l.at, "the call returned %s, but Reconcile answered %s", oneLine(l.answer.value), oneLine(a.value))
	case a.runs > 0 && l.happened && !(again && deduplicates):
		x.untrue.contradict(l.at, "Reconcile answered that the call did not happen, but its handler had succeeded")
	case a.runs > 0 && again && !deduplicates && (i == 0 || x.doc.Reconcile.Quiet == 0):
		x.untrue.contradict(l.at, "the handler ran again with the same key before the quiet time was over")
	}
}

// judgeEnd judges what is left of a lost call whose last repetition was
// answered by a.
func (x *lossRun) judgeEnd(l *lostCall, a historyAnswer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := x.countOf(l.key)
	succeeded := a.kind == done || a.kind == replayed
	switch {
	case n > 1:
		x.untrue.contradict(l.at, "Reconcile let the call run, and the effect was counted %d times", n)
	case x.effects != nil && n == 0 && succeeded:
		x.untrue.contradict(l.at, "the call succeeded, but no effect was counted")
	case l.happened && !succeeded:
		x.untrue.doubt("%s: Reconcile did not find that the handler had succeeded", l.name)
	}
}
