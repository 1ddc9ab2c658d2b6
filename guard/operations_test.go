package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/store"
)

const lookup = "operations_get"

// A lookedUp operation is what the lookup tells.
type lookedUp struct {
	State        string     `json:"state"`
	Tool         string     `json:"tool"`
	StartedAt    *time.Time `json:"startedAt"`
	EndedAt      *time.Time `json:"endedAt"`
	RetryAfterMs int64      `json:"retryAfterMs"`
}

// asking returns the arguments of a lookup.
func asking(id string) string {
	raw, err := json.Marshal(map[string]string{"operationId": id})
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// lookUp looks up an operation, and returns the texts for the model after the
// first.
func (k *kit) lookUp(p guard.Principal, id string) (lookedUp, []string) {
	k.t.Helper()
	r := k.call(p, lookup, asking(id))
	require.False(k.t, r.IsError, r.Text)
	var o lookedUp
	require.NoError(k.t, json.Unmarshal(r.Structured, &o))
	var texts []string
	if r.Text != "" {
		texts = append(texts, r.Text)
	}
	for _, c := range r.Content {
		texts = append(texts, c.(contract.TextContent).Text)
	}
	require.JSONEq(k.t, string(r.Structured), texts[0], "clients that read texts only get the same")
	return o, texts[1:]
}

// bare asserts that nothing is known about an operation.
func (k *kit) bare(p guard.Principal, id string) {
	k.t.Helper()
	r := k.call(p, lookup, asking(id))
	assert.Equal(k.t, `{"state":"unknown"}`, string(r.Structured))
	assert.Equal(k.t, `{"state":"unknown"}`, r.Text)
	assert.Empty(k.t, r.Content)
	assert.Empty(k.t, r.Meta)
}

var errHalfDone = contract.Fatal("half_done", "Some of it was paid.").EffectPossible()

func TestOperations_ShowHowACallEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends func() error
		want string
	}{
		"success":                            {func() error { return nil }, "succeeded"},
		"declared failure":                   {func() error { return errClosed.Errorf("closed") }, "failed"},
		"declared failure after some effect": {func() error { return errHalfDone.Errorf("half") }, "ended"},
		"undeclared error":                   {func() error { return errors.New("connection reset") }, "unknown"},
		"panic":                              {func() error { panic("a bug") }, "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			pay := n.managedPayer("pay.send", refusing(byClientKey), func(context.Context, payInput) error { return c.ends() }).
				Failures(errClosed, errHalfDone).MustBuild()
			k := newKit(t, []*contract.Tool{pay}, guard.WithOperations())
			before := time.Now().Truncate(time.Second)
			id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
			require.NotEmpty(t, id)
			got, texts := k.lookUp(alice, id)
			assert.Equal(t, c.want, got.State)
			assert.Equal(t, "pay.send", got.Tool)
			require.NotNil(t, got.StartedAt)
			assert.False(t, got.StartedAt.Before(before), got.StartedAt)
			assert.Equal(t, c.want != "unknown", got.EndedAt != nil)
			assert.Zero(t, got.RetryAfterMs)
			assert.Empty(t, texts)
			assert.EqualValues(t, 1, n.runs.Load())
		})
	}
}

// A result that breaks its schema, or is not kept, does not tell whether the
// call had its effect.
func TestOperations_ShowACallWhoseResultIsLostAsEnded(t *testing.T) {
	t.Parallel()
	broken, _ := anything("pay.broken", map[string]any{"a": func() {}}, byClientKey)
	k := newKit(t, []*contract.Tool{broken}, guard.WithOperations())
	r := k.callKeyed(alice, "pay.broken", `{}`, "k1")
	refused(t, r, contract.CodeOutputInvalid, contract.ClassFatal)
	got, _ := k.lookUp(alice, r.Outcome.OperationID)
	assert.Equal(t, "ended", got.State)

	n, memory := &counter{}, newMemory(t)
	tools := []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()}
	k = newKit(t, tools, guard.WithStore(memory), guard.WithOperations())
	id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
	other := newKit(t, tools, guard.WithStore(memory), guard.WithOperations()) // without the sealing key
	got, _ = other.lookUp(alice, id)
	assert.Equal(t, "ended", got.State)
	assert.Nil(t, got.EndedAt)
	got, _ = k.lookUp(alice, id)
	assert.Equal(t, "succeeded", got.State)
}

func TestOperations_RunningCallSaysWhenToLookAgain(t *testing.T) {
	t.Parallel()
	n, memory := &counter{}, newMemory(t)
	began, ends := make(chan string, 1), make(chan struct{})
	pay := n.managedPayer("pay.send", byClientKey, func(ctx context.Context, _ payInput) error {
		id, _ := guard.OperationID(ctx)
		began <- id
		<-ends
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{pay}, guard.WithStore(memory), guard.WithOperations())
	replica := newKit(t, []*contract.Tool{pay}, guard.WithStore(memory), guard.WithOperations())
	done := make(chan *guard.Result)
	go func() { done <- k.callKeyed(alice, "pay.send", validPay, "k1") }()
	id := <-began
	for name, of := range map[string]*kit{"the same process": k, "another one": replica} {
		got, texts := of.lookUp(alice, id)
		assert.Equal(t, "running", got.State, name)
		assert.Nil(t, got.EndedAt, name)
		assert.Positive(t, got.RetryAfterMs, name)
		require.Len(t, texts, 1, name)
		assert.Contains(t, texts[0], fmt.Sprint(time.Duration(got.RetryAfterMs)*time.Millisecond), name)
	}
	close(ends)
	assert.Equal(t, id, (<-done).Outcome.OperationID)
	got, _ := k.lookUp(alice, id)
	assert.Equal(t, "succeeded", got.State)
}

// For a tool that can ask its system, the same call finds out.
func TestOperations_UnknownOutcomeSaysWhetherTheSameCallFindsOut(t *testing.T) {
	t.Parallel()
	fail := func(context.Context, payInput) error { panic("a bug") }
	ask := func(context.Context, payInput, time.Time) (contract.Reconciled[payOutput], error) {
		return contract.NotKnown[payOutput](time.Second), nil
	}
	n := &counter{}
	byKey := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}
	k := newKit(t, []*contract.Tool{
		n.managedPayer("pay.plain", byKey, fail).MustBuild(),
		n.managedPayer("pay.asks", byKey, fail).Reconcile(ask, contract.Reconciling{}).MustBuild(),
	}, guard.WithOperations())
	for tool, advised := range map[string]int{"pay.plain": 0, "pay.asks": 1} {
		got, texts := k.lookUp(alice, k.call(alice, tool, validPay).Outcome.OperationID)
		assert.Equal(t, "unknown", got.State)
		assert.Equal(t, tool, got.Tool)
		assert.NotNil(t, got.StartedAt)
		assert.Len(t, texts, advised, tool)
	}
}

func TestOperations_ShowAnOperatorsFinding(t *testing.T) {
	t.Parallel()
	n := &counter{}
	pay := n.managedPayer("pay.send", byClientKey, func(context.Context, payInput) error {
		if n.runs.Load() == 1 {
			panic("a bug")
		}
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{pay}, guard.WithOperations())
	id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
	require.Eventually(t, func() bool { return len(k.log.Events(audit.Terminal)) > 0 }, time.Minute, time.Millisecond)
	key := k.log.Events(audit.Terminal)[0].LookupKey
	require.NoError(t, k.guard.ResolveUnknown(as(t.Context(), carol), key, store.DidNotHappen))
	got, _ := k.lookUp(alice, id)
	assert.Equal(t, "did_not_happen", got.State)
	assert.Nil(t, got.EndedAt)

	again := k.callKeyed(alice, "pay.send", validPay, "k1")
	assert.Equal(t, id, again.Outcome.OperationID, "nothing happened, so it is the same operation")
	got, _ = k.lookUp(alice, id)
	assert.Equal(t, "succeeded", got.State)
}

// An effect that was undone has been. The redo is another operation.
func TestOperations_ShowAnUndoneCallAsEndedAndNotAsTheNextOne(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		n.managedPayer("pay.send", contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"pay"}}, nil).MustBuild(),
		contract.New("pay.undo", func(ctx context.Context, in payInput) (payOutput, error) {
			return payOutput{}, guard.Forget(ctx, "pay.send", map[string]any{"pay": in.Pay})
		}).From(writing()).MustBuild(),
	}, guard.WithOperations())
	first := k.call(alice, "pay.send", validPay).Outcome.OperationID
	require.False(t, k.call(alice, "pay.undo", validPay).IsError)
	got, _ := k.lookUp(alice, first)
	assert.Equal(t, "ended", got.State)
	assert.Equal(t, "pay.send", got.Tool)

	second := k.call(alice, "pay.send", validPay).Outcome.OperationID
	assert.NotEqual(t, first, second)
	got, _ = k.lookUp(alice, second)
	assert.Equal(t, "succeeded", got.State)
	k.bare(alice, first)
}

// seesLookup reports whether a principal sees the tool, in a list and in a
// call.
func seesLookup(t *testing.T, set *guard.Toolset, p guard.Principal) bool {
	t.Helper()
	ctx := as(t.Context(), p)
	seen := set.Visible(ctx)[lookup]
	assert.Equal(t, seen, set.VisibleTo(p)[lookup])
	assert.Equal(t, seen, set.Adapter().Sees(ctx)(set.Adapter().Audience(lookup)))
	r, err := set.Call(ctx, guard.Request{Tool: lookup, Arguments: json.RawMessage(asking("op_x"))})
	if set.Adapter().Audience(lookup) == nil {
		require.ErrorIs(t, err, guard.ErrUnknownTool)
		return seen
	}
	require.NoError(t, err)
	switch {
	case seen:
		assert.False(t, r.IsError)
	case p.IsAnonymous():
		refused(t, r, contract.CodeUnauthenticated, contract.ClassFatal)
	default:
		refused(t, r, contract.CodePermissionDenied, contract.ClassFatal)
	}
	return seen
}

// Who sees the tool follows from the tools that the set has at the moment.
func TestOperations_AreForPrincipalsThatSeeARecordedWrite(t *testing.T) {
	t.Parallel()
	n := &counter{}
	read := reader("pay.list", func(context.Context) (string, error) { return "", nil }).Permissions("mail:read").MustBuild()
	pay := n.managedPayer("pay.send", byClientKey, nil).MustBuild()
	k := newKit(t, []*contract.Tool{read, n.payer("pay.unrecorded").MustBuild()}, guard.WithOperations())
	sees := func(set *guard.Toolset) (all []bool) {
		for _, p := range []guard.Principal{alice, bob, {}} {
			all = append(all, seesLookup(t, set, p))
		}
		return all
	}
	assert.Equal(t, []bool{false, false, false}, sees(k.set), "no call has an operation")
	with, err := k.set.With(pay)
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false, false}, sees(with))
	assert.Equal(t, []bool{false, false, false}, sees(k.set), "the first set did not change")
	assert.Equal(t, []bool{false, false, false}, sees(with.Without("pay.send")))
	assert.Equal(t, with.Adapter().Audience(lookup), k.set.Adapter().Audience(lookup), "entries of both sets are equal")

	again, err := k.guard.Protect(with.Tools()...)
	require.NoError(t, err, "a set's own tools can be protected again")
	assert.Equal(t, names(with), names(again))
	without := with.Without(lookup)
	assert.NotContains(t, names(without), lookup)
	assert.Empty(t, without.VisibleTo(alice)[lookup])
	back, err := without.With(with.Tools()...)
	require.NoError(t, err)
	assert.Equal(t, names(with), names(back))
}

func names(set *guard.Toolset) (all []string) {
	for _, t := range set.Tools() {
		all = append(all, t.Name())
	}
	return all
}

func TestOperations_AreServedOnlyWithTheOption(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()})
	assert.Equal(t, []string{"pay.send"}, names(k.set))
	assert.False(t, k.set.Visible(as(t.Context(), alice))[lookup])
}

func TestOperations_NameCanBeSet(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()},
		guard.WithOperations(), guard.WithOperations("calls.state"))
	id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
	assert.JSONEq(t, `{"operationId":"`+id+`"}`, asking(id))
	r := k.call(alice, "calls.state", asking(id))
	assert.Contains(t, string(r.Structured), "succeeded")
	assert.Equal(t, []string{"calls.state", "pay.send"}, names(k.set))

	for _, wrong := range [][]string{{"a", "b"}, {""}, {"no blanks"}, {strings.Repeat("a", 200)}} {
		_, err := guard.New(guard.WithOperations(wrong...))
		require.ErrorContains(t, err, "guard: WithOperations: ", wrong)
	}
}

// The contract is that of the library, and must not trouble the author.
func TestOperations_ContractHasNoFindings(t *testing.T) {
	t.Parallel()
	k := newKit(t, nil, guard.WithOperations())
	require.Len(t, k.set.Tools(), 1)
	assert.Empty(t, contracttest.Inspect(k.set.Tools()...).Findings)
	doc := k.set.Tools()[0].Document()
	assert.True(t, doc.Hints().ReadOnly)
	assert.NotNil(t, doc.RateLimit)
}

func TestOperations_AreAuditedAndLimitedApart(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()}, guard.WithOperations())
	id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
	limited := 0
	for range 100 {
		if r := k.call(alice, lookup, asking(id)); r.IsError {
			refused(t, r, contract.CodeRateLimitExceeded, contract.ClassRetryable)
			limited++
		}
	}
	assert.Positive(t, limited)
	assert.False(t, k.callKeyed(alice, "pay.send", validPay, "k2").IsError)
	_, _ = k.lookUp(carol, id)
	looked := 0
	for _, e := range k.events(audit.Terminal) {
		if e.AuditEvent == "operation.looked_up" {
			assert.Equal(t, lookup, e.Tool)
			assert.NotEmpty(t, e.Principal)
			looked++
		}
	}
	assert.Equal(t, 101, looked)
}

// Nothing is said about an operation while the records cannot be read.
func TestOperations_AreUnavailableWithoutTheStore(t *testing.T) {
	t.Parallel()
	n, faulty := &counter{}, faultystore.New(newMemory(t))
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()}, guard.WithStore(faulty),
		guard.WithOperations())
	id := k.callKeyed(alice, "pay.send", validPay, "k1").Outcome.OperationID
	faulty.FailBefore(faultystore.Get, faultystore.Every, nil)
	for _, id := range []string{id, "op_x"} {
		r := k.call(alice, lookup, asking(id))
		refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		assert.Positive(t, r.Outcome.RetryAfterMs)
	}
}

func TestOperations_ArgumentsAreReadStrictly(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.send", byClientKey, nil).MustBuild()}, guard.WithOperations())
	for _, wrong := range []string{`{}`, `{"operationId":1}`, `{"operationId":null}`, `{"OperationID":"op_x"}`,
		`{"operationId":"op_x","tool":"pay.send"}`} {
		refused(t, k.call(alice, lookup, wrong), contract.CodeInvalidInput, contract.ClassRetryable)
	}
}
