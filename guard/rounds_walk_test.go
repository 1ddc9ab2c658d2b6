package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store"
)

// A walkKind is a tool for a walk, with its demands.
type walkKind struct {
	name     string
	build    func(*counter) *contract.Builder[payInput, payOutput]
	confirms bool
	approver bool
}

func walkKinds() []walkKind {
	bare := func(n *counter) *contract.Builder[payInput, payOutput] { return n.payer("pay.now") }
	withKey := func(n *counter) *contract.Builder[payInput, payOutput] {
		return n.managedPayer("pay.now", byClientKey, nil)
	}
	refuses := func(n *counter) *contract.Builder[payInput, payOutput] {
		return n.managedPayer("pay.now", refusing(byClientKey), nil)
	}
	optional := func(n *counter) *contract.Builder[payInput, payOutput] {
		return n.managedPayer("pay.now", keyed, nil)
	}
	return []walkKind{
		{"no keys", bare, false, false},
		{"keys", refuses, false, false},
		{"no keys, confirmation", bare, true, false},
		{"keys, confirmation", withKey, true, false},
		{"optional keys", optional, false, false},
		{"optional keys, confirmation", optional, true, false},
		{"no keys, approver", bare, true, true},
		{"keys, approver", withKey, true, true},
		{"optional keys, approver", optional, true, true},
	}
}

// A walk is a caller that combines states, keys, answers, clients and replicas
// at random. It counts the approvals, authentications and charges.
type walk struct {
	t        *testing.T
	kind     walkKind
	random   *rand.Rand
	runs     *counter
	store    *faultystore.Store
	door     *door
	replicas []*kit

	mu        sync.Mutex
	held      []heldQuestion
	agreed    map[string]bool // approved states, tokens, and questions within a call
	completed map[string]bool // ids with an authentication
	fresh     int             // calls with credentials that need no page
	charged   int
	trail     []string
}

// A heldQuestion is a question that the caller can answer.
type heldQuestion struct {
	state, id string // id is the step-up id
	owner     string
}

func newWalk(t *testing.T, seed uint64) *walk {
	random := rand.New(rand.NewPCG(seed, 6))
	kinds := walkKinds()
	w := &walk{
		t: t, kind: kinds[seed/2%uint64(len(kinds))], random: random, runs: &counter{}, store: newFaulty(t), door: &door{address: desk},
		held: []heldQuestion{{}}, agreed: map[string]bool{}, completed: map[string]bool{},
	}
	builder := w.kind.build(w.runs).StepUp(demand)
	if w.kind.confirms {
		builder.ConfirmAlways()
	}
	p := &page{}
	opts := []guard.Option{
		guard.WithPeople(guard.PeopleOptions{StepUpPage: p.address}), guard.WithStore(w.store), sealing,
		guard.WithLimiter(limiterFunc(w.take)), guard.WithRetryBudget(0, 0),
	}
	if w.kind.approver {
		opts = append(opts, guard.WithPeople(guard.PeopleOptions{Approver: w.door}))
	}
	tools := []*contract.Tool{builder.MustBuild()}
	w.replicas = []*kit{newKit(t, tools, opts...), newKit(t, tools, opts...)}
	return w
}

// take counts charges. It ignores the bucket that bounds rounds without a
// charge.
func (w *walk) take(_ context.Context, buckets ...store.Bucket) (time.Duration, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !strings.HasSuffix(buckets[0].Name, " rounds") {
		w.charged++
	}
	return 0, nil
}

func (w *walk) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trail = append(w.trail, fmt.Sprintf(format, args...))
}

// one reports true with a probability of 1/in.
func (w *walk) one(in int) bool { return w.random.IntN(in) == 0 }

func pick[T any](w *walk, from ...T) T { return from[w.random.IntN(len(from))] }

// breakStore makes one store operation fail until the next step.
func (w *walk) breakStore() {
	operation := pick(w, faultystore.Operations()...)
	if w.one(2) {
		w.store.FailBefore(operation, faultystore.Every, nil)
	} else {
		w.store.FailAfter(operation, faultystore.Every, nil)
	}
	w.note("fault of %v", operation)
}

// authenticate completes a step-up, with the right principal or another.
func (w *walk) authenticate(k *kit, h heldQuestion, who guard.Principal) {
	err := k.guard.People().CompleteStepUp(w.t.Context(), h.id, strong(who))
	w.note("completed: %v", err)
	if err == nil && h.owner != who.Subject {
		w.t.Errorf("%s authenticated for %s", who.Subject, h.owner)
	}
	if err == nil || errors.Is(err, guard.ErrUnavailable) { // the store may have recorded it
		w.mu.Lock()
		defer w.mu.Unlock()
		w.completed[h.id] = true
	}
}

// decide approves or declines a question outside the client.
func (w *walk) decide(k *kit) {
	w.door.mu.Lock()
	asked := append([]people.PendingQuestion{}, w.door.asked...)
	w.door.mu.Unlock()
	if len(asked) == 0 {
		return
	}
	w.rule(k, pick(w, asked[len(asked)-1], asked[w.random.IntN(len(asked))]).Token, !w.one(4))
}

func (w *walk) rule(k *kit, token string, approve bool) {
	err := k.guard.People().Decide(w.t.Context(), token, approve, dave)
	w.note("decided %t: %v", approve, err)
	if approve && (err == nil || errors.Is(err, guard.ErrUnavailable)) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.agreed[token] = true
	}
}

// request returns a random call with the state of h.
func (w *walk) request(h heldQuestion) guard.Request {
	req := guard.Request{
		Tool: "pay.now", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			State: h.state, Session: "1", RoundsURL: true, Rounds: !w.kind.approver || w.one(4),
			Answers: map[string]json.RawMessage{},
		},
	}
	if w.one(10) {
		req.Arguments = json.RawMessage(otherPay)
	}
	if !w.one(3) {
		key := fmt.Sprint("k", w.random.IntN(4))
		req.IdempotencyKey = &key
	}
	if said := pick(w, "", confirmed, confirmed, declined, `{"action":"ACCEPT"}`); said != "" {
		req.Answers[people.ConfirmKey] = json.RawMessage(said)
		if said == confirmed && h.state != "" && h.id == "" {
			w.agreed[h.state] = true
		}
	}
	if said := pick(w, "", accepted, accepted, declined); said != "" {
		req.Answers[people.StepUpKey] = json.RawMessage(said)
	}
	if w.kind.approver && !w.one(3) {
		req.Answers[people.ApprovalKey] = json.RawMessage(accepted)
	}
	return req
}

// older turns req into a request of an older client, which is asked within the
// call.
func (w *walk) older(k *kit, req *guard.Request, who guard.Principal) {
	req.Rounds, req.RoundsURL = false, false
	said := pick(w, confirmed, confirmed, declined)
	opened := pick(w, accepted, accepted, declined)
	authenticates := !w.one(3)
	decides := !w.one(3)
	if !w.one(3) {
		req.Ask = func(context.Context, people.Question) (json.RawMessage, error) {
			if said == confirmed {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.agreed[fmt.Sprint("within ", len(w.agreed))] = true
			}
			return json.RawMessage(said), nil
		}
	}
	if !w.one(3) {
		req.AskURL = func(_ context.Context, q people.Question) (json.RawMessage, error) {
			switch {
			case q.Key == people.ApprovalKey && decides:
				w.rule(k, q.ID, said == confirmed)
			case q.Key == people.StepUpKey && authenticates:
				w.authenticate(k, heldQuestion{id: q.ID, owner: who.Subject}, who)
			}
			return json.RawMessage(opened), nil
		}
	}
}

// step makes one random call, or several equal ones concurrently.
func (w *walk) step(faults bool) {
	w.store.Heal()
	if faults && w.one(4) {
		w.breakStore()
	}
	if w.one(6) {
		time.Sleep(time.Duration(w.random.IntN(240)) * time.Second)
	}
	k, who := pick(w, w.replicas...), alice
	if w.one(10) {
		who = carol
	}
	h := pick(w, w.held[w.random.IntN(len(w.held))], w.held[len(w.held)-1])
	if h.id != "" && w.one(2) {
		w.authenticate(k, h, who)
	}
	if w.kind.approver && !w.one(3) {
		w.decide(k)
	}
	req, times := w.request(h), pick(w, 1, 1, 1, 1, 4)
	if w.one(8) {
		w.older(k, &req, who)
	}
	if w.one(12) {
		who = strong(who)
		w.fresh += times
	}
	var group sync.WaitGroup
	for range times {
		group.Go(func() { w.call(k, who, req) })
	}
	group.Wait()
	w.check()
}

func (w *walk) call(k *kit, who guard.Principal, req guard.Request) {
	r, err := k.set.Call(as(w.t.Context(), who), req)
	if err != nil {
		w.note("rejected")
		return
	}
	w.note("%s %s", r.Outcome.Status, r.Outcome.Code)
	if r.Question != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.held = append(w.held, heldQuestion{r.State, r.Question.ID, who.Subject})
	}
}

// check compares the runs with the approvals, authentications and charges.
func (w *walk) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := int(w.runs.runs.Load())
	if runs > len(w.completed)+w.fresh || runs > w.charged || w.kind.confirms && runs > len(w.agreed) {
		w.t.Fatalf("%s: %d runs, %d approvals, %d authentications, %d with fresh credentials, %d charges:\n%s", w.kind.name,
			runs, len(w.agreed), len(w.completed), w.fresh, w.charged, strings.Join(w.trail, "\n"))
	}
}

// walkRounds makes one walk of forty steps and returns the number of runs.
func walkRounds(t *testing.T, seed uint64, faults bool) (kind string, runs int64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if t.Failed() {
				t.Logf("seed %d, faults %t", seed, faults)
			}
		}()
		w := newWalk(t, seed)
		for range 40 {
			w.step(faults)
		}
		w.store.Heal()
		for _, k := range w.replicas {
			require.NoError(t, k.guard.Close(context.WithoutCancel(t.Context())))
		}
		kind, runs = w.kind.name, w.runs.runs.Load()
	})
	return kind, runs
}

// However a caller combines rounds, every run has its own approval, its own
// authentication and its own charge.
func TestRounds_EveryRunIsApprovedAuthenticatedAndCharged(t *testing.T) {
	t.Parallel()
	ran := map[string]int64{}
	for seed := range uint64(longtest.Count(t, 60, 200)) { //nolint:gosec // a handful
		kind, runs := walkRounds(t, seed, seed%2 == 1)
		if t.Failed() {
			return
		}
		ran[kind] += runs
	}
	for _, kind := range walkKinds() {
		assert.Positive(t, ran[kind.name], "the walks of %s ran nothing", kind.name)
	}
	t.Log(ran)
}

func FuzzRoundsRunNothingTwice(f *testing.F) {
	f.Add(uint64(1000), false)
	f.Add(uint64(1001), true)
	f.Fuzz(func(t *testing.T, seed uint64, faults bool) { walkRounds(t, seed, faults) })
}
