package verify

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/idempotency"
)

// CheckIdempotency makes many concurrent calls of a tool with few keys. It
// fails the test if no order of the calls explains their answers and effects
// under the declared idempotency: at most one execution for each key, and its
// recorded outcome for every other call.
//
//	verify.CheckIdempotency(t, Pay, verify.WithEffects(func(input string) int {
//		return bank.Payments(input)
//	}))
//
// Three replicas share one store. Some runs of the handler end with an error or
// a panic, before the handler starts or after it has returned, and some
// operations of the store fail. These faults are the same in every test. The
// calls are judged as a history, the way databases are tested, so it does not
// matter in which order goroutines run.
//
// The inputs are those of each [Case], or drawn ones if there is none. Calls
// with the same input share a key that no other input has. [WithEffects] counts
// the effects; without it, only runs and answers are judged. [WithFixture]
// makes a new tool for each history, and the store that the replicas share.
//
// If the tool is atomic, the replicas are guards on one database, the one
// behind the fixture's Store. Transactions fail when they begin, while the
// handler writes, when the call is recorded, and at the commit. Answers to a
// commit get lost. These faults also reveal a store that does not commit the
// effect together with the record. Each call is repeated until it has an
// outcome. A handler must not write outside the transaction, for example
// through the connection pool. It contradicts the contract if WithEffects
// counts an effect before the commit, or one that stays after the transaction
// was rolled back.
//
// If the tool declares Reconcile, some calls are also lost, and then repeated on
// another replica, before and after the quiet time. The process of such a call
// dies before or after its handler runs, its effect comes while the system is
// asked or after that, or it is stopped and goes on too late. The handler and
// Reconcile must use the same system, that of the fixture. Reconcile contradicts
// the contract if it answers Happened although no handler has succeeded, or with
// another result; if it lets a call run whose effect has happened, or still
// happens, such as with a key that the system should refuse; and if it has the
// effect itself, panics, or outlasts its context. If it never finds a call that
// happened, the conclusion is unknown, and the test fails. CheckIdempotency
// cannot judge whether the quiet time is long enough for the real system. Nor
// does it cover a process that is stopped for longer: if Reconcile answers
// DidNotHappen below high risk, the effect then happens twice. Only the counted
// effect shows whether Reconcile changes something; package effectcheck shows
// more.
//
// The test also fails if the idempotency is none or undeclared, if no call
// reaches the handler, and if no call of an atomic tool succeeds. If a history
// has too many possible orders to judge within twenty seconds, the conclusion
// is unknown, and the test fails too.
func CheckIdempotency(t testing.TB, tool *contract.Tool, opts ...Option) {
	t.Helper()
	h, err := newHistories(tool, opts)
	if err != nil {
		t.Fatalf("verify: CheckIdempotency: %v", err)
	}
	h.run(t)
}

// run makes and judges the histories until one contradicts the contract.
func (h *histories) run(t testing.TB) {
	t.Helper()
	accepted := acceptances{all: h.accepted}
	checks := []func(testing.TB) ([]Judgement, error){
		h.checkLosses,
		func(t testing.TB) ([]Judgement, error) { return h.check(t, false) },
		func(t testing.TB) ([]Judgement, error) { return h.check(t, true) },
	}
	for _, check := range checks {
		found, err := check(t)
		if err != nil {
			t.Fatalf("verify: CheckIdempotency of %s: %v", h.tool.Name(), err)
		}
		if found = accepted.without(h.tool.Name(), found); len(found) > 0 {
			for _, j := range found {
				t.Errorf("verify: %s: %s", h.tool.Name(), j)
			}
			return
		}
	}
	accepted.log(t)
	accepted.refuseStale(t, "CheckIdempotency of "+h.tool.Name(), "")
	if h.effects == nil {
		t.Logf("verify: CheckIdempotency of %s: the effects were not counted; count them by WithEffects", h.tool.Name())
	}
}

// WithEffects counts for [CheckIdempotency] how often the effect of a call with
// an input has happened, such as the number of rows it added. The input is the
// canonical JSON of the arguments. For an atomic tool, and for one with
// Reconcile, the function is also called while calls are running, and must use
// a connection of its own.
func WithEffects(count func(input string) int) Option {
	return optionFunc(func(c *settings) {
		if count == nil {
			c.mistake("WithEffects: the function is nil")
		}
		c.effects = count
	})
}

// The size of a history.
const (
	historyKeys     = 4
	historyReplicas = 3
	historyCallers  = 8
	historyCalls    = 6 // of each caller
)

// histories holds what all of a tool's histories share.
type histories struct {
	settings

	tool   *contract.Tool
	doc    contract.Document
	inputs []json.RawMessage // one for each key
	order  orderFunc
}

// An orderFunc checks whether a history has an order that a model allows.
type orderFunc func(porcupine.Model, []porcupine.Operation) porcupine.CheckResult

// inTime is the usual orderFunc.
func inTime(model porcupine.Model, history []porcupine.Operation) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(model, history, judgeTime)
}

func newHistories(tool *contract.Tool, opts []Option) (*histories, error) {
	if tool == nil {
		return nil, errNoTool
	}
	h := &histories{settings: settings{limit: defaultLimit}, tool: tool, doc: tool.Document(), order: inTime}
	for _, o := range opts {
		o.applyTo(&h.settings)
	}
	h.refuseUnused(forHistories)
	h.refuseOtherTools(tool)
	for _, text := range h.mistakes {
		return nil, errors.New(text)
	}
	if h.mode() == idempotency.None || h.mode() == 0 {
		return nil, errNotIdempotent
	}
	return h, h.findInputs()
}

var (
	errNotIdempotent = errors.New("the tool declares no idempotency; declare Idempotency, or do not check it")
	errFewInputs     = errors.New("there is no input; give a Case whose input the tool accepts")
)

func (h *histories) atomic() bool { return isAtomic(h.doc) }

func (h *histories) mode() idempotency.Mode {
	if h.doc.Idempotency == nil {
		return idempotency.None
	}
	return h.doc.Idempotency.Mode
}

// findInputs chooses inputs whose keys all differ.
func (h *histories) findInputs() error {
	var all []json.RawMessage
	for _, c := range h.cases {
		raw, err := encodeInput(c.Input)
		if err != nil {
			return err
		}
		all = append(all, raw)
	}
	if s, err := observe.ArgumentsOf(h.tool); err == nil && len(all) == 0 {
		for _, sample := range s.Samples() {
			all = append(all, sample.JSON)
		}
	}
	seen := map[string]bool{}
	for _, raw := range all {
		arguments, accepted := observe.Read(h.tool, raw)
		if !accepted {
			continue
		}
		if key := h.keyIn(tree(arguments)); !seen[key] && len(h.inputs) < historyKeys {
			seen[key] = true
			h.inputs = append(h.inputs, arguments)
		}
	}
	if len(h.inputs) == 0 {
		return errFewInputs
	}
	return nil
}

// keyIn returns the part of the arguments that is their key.
func (h *histories) keyIn(arguments any) string {
	members, _ := arguments.(map[string]any)
	if i := h.doc.Idempotency; len(i.KeyFields) > 0 {
		key := map[string]any{}
		for _, name := range i.KeyFields {
			key[name] = members[name]
		}
		return encodedJSON(key)
	}
	return encodedJSON(arguments)
}

// newRun returns a run that is not open yet. The function ends it.
func (h *histories) newRun(tb testing.TB) (r *historyRun, t *harnessTB, end func()) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), h.limit)
	t = &harnessTB{TB: tb, ctx: ctx}
	r = &historyRun{
		histories: h, began: time.Now(), ctx: ctx, runs: make([]int, len(h.inputs)), tooEarly: make([]int, len(h.inputs)),
	}
	return r, t, func() {
		t.end()
		cancel()
	}
}

// check makes the calls of one history and judges it.
func (h *histories) check(tb testing.TB, faulty bool) ([]Judgement, error) {
	tb.Helper()
	r, t, end := h.newRun(tb)
	defer end()
	r.faulty = faulty
	if err := r.open(t); err != nil {
		return nil, err
	}
	var callers sync.WaitGroup
	for caller := range historyCallers {
		callers.Go(func() {
			for i := range historyCalls {
				r.call(caller, (caller+i*(1+caller%3))%len(h.inputs))
			}
		})
	}
	quiet := func() {
		callers.Wait()
		for key := range h.inputs {
			if h.atomic() {
				r.settle(key)
			}
			r.call(historyCallers, key)
			r.call(historyCallers, key)
		}
	}
	if !waitFor(quiet, h.limit+patience) {
		return nil, errHung
	}
	r.close(context.WithoutCancel(r.ctx))
	r.count()
	return r.judge(), nil
}
