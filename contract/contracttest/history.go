package contracttest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/contracttest/internal/draw"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
)

// CheckIdempotency makes many concurrent calls of a tool with few keys, and
// fails the test if their answers and effects have no order in which the
// declared idempotency holds: at most one execution for each key, and its
// recorded outcome for every other call.
//
//	contracttest.CheckIdempotency(t, Pay, contracttest.WithEffects(func(input string) int {
//		return bank.Payments(input)
//	}))
//
// Three replicas share one store. Some runs of the handler end with an error or
// a panic, before it begins or after it has returned, and some operations of
// the store fail. Which ones is the same in every test. The calls are judged as
// a history, as for a database, so the order in which goroutines run does not
// matter.
//
// The inputs are those of each [Case], else drawn ones. Calls with one input
// share a key, and no other input has it. [WithEffects] counts the effects;
// without it only runs and answers are judged. [WithSharedStore] replaces the
// store, which is in memory by default. [WithFixture] makes the tool anew for
// each of the histories.
//
// The test also fails if the idempotency is none or undeclared, if no call
// reaches the handler, and if a history has too many orders to be judged in
// twenty seconds: that conclusion is unknown.
func CheckIdempotency(t testing.TB, tool *contract.Tool, opts ...VerifyOption) {
	t.Helper()
	h, err := newHistories(tool, opts)
	if err != nil {
		t.Fatalf("contracttest: CheckIdempotency: %v", err)
	}
	h.run(t)
}

// run makes and judges all histories, until one contradicts the contract.
func (h *histories) run(t testing.TB) {
	t.Helper()
	accepted := accepting{all: h.accepted}
	for _, faulty := range []bool{false, true} {
		found, err := h.check(t, faulty)
		if err != nil {
			t.Fatalf("contracttest: CheckIdempotency of %s: %v", h.tool.Name(), err)
		}
		if found = accepted.without(h.tool.Name(), found); len(found) > 0 {
			for _, j := range found {
				t.Errorf("contracttest: %s: %s", h.tool.Name(), j)
			}
			return
		}
	}
	accepted.log(t)
	accepted.refuseStale(t, "CheckIdempotency of "+h.tool.Name(), "")
	if h.effects == nil {
		t.Logf("contracttest: CheckIdempotency of %s: the effects were not counted; count them by WithEffects", h.tool.Name())
	}
}

// WithEffects counts for [CheckIdempotency] how often the effect of a call with
// an input has happened, such as the rows that it added. The input is the
// canonical JSON of the arguments.
func WithEffects(count func(input string) int) VerifyOption {
	return verifyOptionFunc(func(c *verifyConfig) {
		if count == nil {
			c.mistake("WithEffects: the function is nil")
		}
		c.effects = count
	})
}

// WithSharedStore makes the store for each history of [CheckIdempotency], which
// three guards share. Default: a store in memory.
func WithSharedStore(open func(testing.TB) store.Store) VerifyOption {
	return verifyOptionFunc(func(c *verifyConfig) {
		if open == nil {
			c.mistake("WithSharedStore: the function is nil")
		}
		c.store = open
	})
}

// The size of a history.
const (
	historyKeys     = 4
	historyReplicas = 3
	historyCallers  = 8
	historyCalls    = 6 // of each caller
)

// histories holds what all histories of a tool share.
type histories struct {
	verifyConfig

	tool   *contract.Tool
	doc    contract.Document
	inputs []json.RawMessage // one for each key
	order  orderFunc
}

// An orderFunc finds out whether a history has an order that a model allows.
type orderFunc func(porcupine.Model, []porcupine.Operation) porcupine.CheckResult

// inTime is the usual orderFunc.
func inTime(model porcupine.Model, history []porcupine.Operation) porcupine.CheckResult {
	return porcupine.CheckOperationsTimeout(model, history, judgeTime)
}

func newHistories(tool *contract.Tool, opts []VerifyOption) (*histories, error) {
	if tool == nil {
		return nil, errNoFuzzTool
	}
	h := &histories{verifyConfig: verifyConfig{limit: defaultLimit}, tool: tool, doc: tool.Document(), order: inTime}
	for _, o := range opts {
		o.applyTo(&h.verifyConfig)
	}
	h.refuseUnused(forHistories)
	h.refuseOtherTools(tool)
	for _, text := range h.mistakes {
		return nil, errors.New(text)
	}
	if h.mode() == idempotency.None || h.mode() == idempotency.UndeclaredMode {
		return nil, errNotIdempotent
	}
	return h, h.findInputs()
}

var (
	errNotIdempotent = errors.New("the tool declares no idempotency; declare Idempotency, or do not check it")
	errFewInputs     = errors.New("there is no input; give a Case whose input the tool accepts")
)

func (h *histories) mode() idempotency.Mode {
	if h.doc.Idempotency == nil {
		return idempotency.None
	}
	return h.doc.Idempotency.Mode
}

// findInputs chooses inputs, each with a key of its own.
func (h *histories) findInputs() error {
	var all []json.RawMessage
	for _, c := range h.cases {
		raw, err := encoded(c.Input)
		if err != nil {
			return err
		}
		all = append(all, raw)
	}
	if s, err := draw.ForTool(h.tool); err == nil && len(all) == 0 {
		for _, sample := range s.Samples() {
			all = append(all, sample.JSON)
		}
	}
	seen := map[string]bool{}
	for _, raw := range all {
		arguments, violations := bound.Of(h.tool).Decode(raw)
		if len(violations) > 0 {
			continue
		}
		if key := h.keyIn(arguments.Tree()); !seen[key] && len(h.inputs) < historyKeys {
			seen[key] = true
			h.inputs = append(h.inputs, arguments.Canonical)
		}
	}
	if len(h.inputs) == 0 {
		return errFewInputs
	}
	return nil
}

// keyIn returns what of the arguments is their key.
func (h *histories) keyIn(tree any) string {
	members, _ := tree.(map[string]any)
	if i := h.doc.Idempotency; len(i.KeyFields) > 0 {
		key := map[string]any{}
		for _, name := range i.KeyFields {
			key[name] = members[name]
		}
		return encodedJSON(key)
	}
	return encodedJSON(tree)
}

// check makes the calls of one history and judges it.
func (h *histories) check(tb testing.TB, faulty bool) ([]Judgement, error) {
	tb.Helper()
	ctx, end := context.WithTimeout(context.WithoutCancel(tb.Context()), h.limit)
	defer end()
	t := &trialTB{TB: tb, ctx: ctx}
	defer t.end()
	r := &historyRun{histories: h, faulty: faulty, began: time.Now(), runs: make([]int, len(h.inputs))}
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
			r.call(historyCallers, key)
			r.call(historyCallers, key)
		}
	}
	if !waitFor(quiet, h.limit+patience) {
		return nil, errHung
	}
	for _, g := range r.replicas {
		_ = g.guard.Close(context.WithoutCancel(ctx)) // a handler that runs on has its effect later
	}
	r.count()
	return r.judge(), nil
}

// A historyRun records one history.
type historyRun struct {
	*histories

	faulty   bool // the store fails at times
	replicas []*Client
	began    time.Time

	mu         sync.Mutex
	runs       []int // of each key
	operations []porcupine.Operation
}

// open makes the replicas.
func (r *historyRun) open(t *trialTB) error {
	for _, setup := range r.setups {
		setup(t)
	}
	tool := r.tool
	if r.fixture != nil {
		if made := r.fixture(t).named(r.doc.Name); made != nil {
			tool = made
		}
		if tool.Digest() != r.tool.Digest() {
			return errOtherContract
		}
	}
	shared, err := r.openStore(t)
	if err != nil {
		return err
	}
	watched := r.watched(tool)
	v := &verifier{tool: tool, doc: r.doc, config: &r.verifyConfig}
	for range historyReplicas {
		c := NewClient(clientTB{t}, []*contract.Tool{watched}, slices.Concat([]guard.Option{
			guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithStore(shared),
			guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithRateLimit(1_000_000, time.Second),
			guard.WithRetryBudget(0, 0), guard.WithDrain(patience),
		}, r.guard)...)
		r.replicas = append(r.replicas, c.As(v.caller(input{})).Answering(v.person()))
	}
	return nil
}

func (r *historyRun) openStore(t testing.TB) (store.Store, error) {
	var shared store.Store
	if r.store != nil {
		shared = r.store(t)
	} else {
		memory, err := store.NewMemory()
		if err != nil {
			return nil, err
		}
		shared = memory
	}
	if r.faulty {
		shared = &faultyStore{Store: shared}
	}
	return shared, nil
}

// A runMark is in the context of a call: the key, and how often it ran.
type runMark struct {
	key  int
	mu   sync.Mutex
	runs int
}

type runMarkKey struct{}

// errInjected is an error that no contract declares.
var errInjected = errors.New("contracttest: the handler fails for the test")

// watched returns a copy of the tool whose runs are counted, and of which some
// fail.
func (r *historyRun) watched(tool *contract.Tool) *contract.Tool {
	watched, half := *tool, *bound.Of(tool)
	run := half.Run
	half.Run = func(ctx context.Context, in any) (any, error) {
		mark, ok := ctx.Value(runMarkKey{}).(*runMark)
		if !ok {
			return run(ctx, in)
		}
		mark.mu.Lock()
		mark.runs++
		mark.mu.Unlock()
		r.mu.Lock()
		n := r.runs[mark.key]
		r.runs[mark.key]++
		r.mu.Unlock()
		fault := faultOf(mark.key, n)
		if fault == faultBefore {
			return nil, errInjected
		}
		out, err := run(ctx, in)
		switch fault {
		case faultAfter:
			return out, errInjected
		case faultPanic:
			panic(errInjected) //nolint:forbidigo // the guard contains it
		case faultNone, faultBefore:
		}
		return out, err
	}
	bound.Rebind(&watched, &half)
	return &watched
}

// A handlerFault is how a run fails for the test.
type handlerFault int

const (
	faultNone handlerFault = iota
	faultAfter
	faultBefore
	faultPanic
)

// faultOf returns the fault of the n-th run of a key. Only the first runs fail,
// so that a key whose contract allows a rerun succeeds in the end.
func faultOf(key, n int) handlerFault {
	if n > 0 {
		return faultNone
	}
	return handlerFault(key % 4)
}

// errStore is the error of a store that fails for the test.
var errStore = errors.New("contracttest: the store fails for the test")

// A faultyStore fails at some operations, before or after they took place.
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

// Claim fails at every seventh call before it, and at every eleventh after it.
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

// Complete fails at every third call, in turn before and after it.
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

// call makes one call and records it.
func (r *historyRun) call(caller, key int) {
	c := r.replicas[caller%len(r.replicas)]
	mark := &runMark{key: key}
	began := time.Since(r.began)
	result, err := r.send(c, mark)
	o := porcupine.Operation{
		ClientId: caller, Input: historyInput{key: key}, Output: r.answer(result, err, mark),
		Call: began.Nanoseconds(), Return: time.Since(r.began).Nanoseconds(),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
}

func (r *historyRun) send(c *Client, mark *runMark) (*guard.Result, error) {
	arguments := r.inputs[mark.key]
	ctx := context.WithValue(c.context(), runMarkKey{}, mark)
	request := func(arguments json.RawMessage) guard.Request {
		var asked conversation
		req := guard.Request{Tool: r.doc.Name, Arguments: arguments, Server: serverName, Ask: asked.with(c.person)}
		if i := r.doc.Idempotency; i.ClientKey {
			key := fmt.Sprintf("key-%d", mark.key)
			req.IdempotencyKey = &key
		}
		return req
	}
	if r.doc.DryRun == dryrun.Required {
		preview, err := c.tools.Call(ctx, request(withMember(arguments, "dryRun", true)))
		if err != nil || preview.IsError {
			return preview, err
		}
		token := (&Result{Result: *preview}).dryRunToken()
		arguments = withMember(arguments, "dryRunToken", token)
	}
	return c.tools.Call(ctx, request(arguments))
}

// withMember returns arguments with one more member.
func withMember(arguments json.RawMessage, name string, value any) json.RawMessage {
	members := map[string]any{}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &own); err != nil {
		return arguments
	}
	for member, raw := range own {
		members[member] = raw
	}
	members[name] = value
	return json.RawMessage(encodedJSON(members))
}

// count records how often the effect of each key happened.
func (r *historyRun) count() {
	if r.effects == nil {
		return
	}
	for key, arguments := range r.inputs {
		at := time.Since(r.began).Nanoseconds()
		r.operations = append(r.operations, porcupine.Operation{
			ClientId: historyCallers, Input: historyInput{key: key, count: true}, Output: historyAnswer{kind: counted, effects: r.effects(string(arguments))},
			Call: at, Return: at + 1,
		})
	}
}

// judgeTime bounds how long a history is judged. One that is not judged by then
// is unknown.
const judgeTime = 20 * time.Second

// judge returns what contradicts the contract and what is unknown, at most one
// judgement for each key.
func (r *historyRun) judge() []Judgement {
	v := &verifier{tool: r.tool, doc: r.doc, config: &r.verifyConfig}
	for key := range r.inputs {
		history := slices.DeleteFunc(slices.Clone(r.operations), func(o porcupine.Operation) bool { return inputOf(o).key != key })
		model := historyModel{mode: r.mode(), reruns: r.doc.Idempotency.OnUnknown == idempotency.Rerun, faulty: r.faulty}
		c := &claim{rule: ruleHistory, shown: 1}
		at := fmt.Sprintf("input %s", oneLine(string(r.inputs[key])))
		switch r.order(model.porcupine(), history) {
		case porcupine.Illegal:
			rule, observed := model.why(history)
			c.rule = rule
			c.contradict(at, "%s\n%s", observed, listed(history))
		case porcupine.Unknown:
			c.doubt("the history of %s was not judged within %v; run the test on a machine that does less at the same time", at, judgeTime)
		case porcupine.Ok:
		}
		v.conclude(c)
	}
	if !slices.ContainsFunc(r.runs, func(n int) bool { return n > 0 }) {
		v.conclude(&claim{rule: ruleNotReached, unknown: []string{"no call of the history reached the handler"}})
	}
	return slices.DeleteFunc(v.judgements, func(j Judgement) bool { return j.Conclusion == Consistent })
}

// listed returns the operations of a history, one on a line.
func listed(history []porcupine.Operation) string {
	slices.SortFunc(history, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	var lines []string
	for _, o := range history {
		lines = append(lines, fmt.Sprintf("  caller %d, %v to %v: %v", o.ClientId, time.Duration(o.Call).Round(time.Microsecond), time.Duration(o.Return).Round(time.Microsecond), answerIn(o)))
	}
	return strings.Join(lines, "\n")
}
