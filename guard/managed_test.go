package guard_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A spy is a store that records its operations.
type spy struct {
	*store.Memory
	mu          sync.Mutex
	operations  []string
	claims      []store.Claim
	completions []store.Completion
}

func (s *spy) note(operation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.operations = append(s.operations, operation)
}

func (s *spy) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.operations)
}

func (s *spy) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	s.note("claim")
	s.mu.Lock()
	s.claims = append(s.claims, c)
	s.mu.Unlock()
	return s.Memory.Claim(ctx, c)
}

func (s *spy) Mark(ctx context.Context, key store.Key, owner store.Owner) error {
	s.note("mark")
	return s.Memory.Mark(ctx, key, owner)
}

func (s *spy) Complete(ctx context.Context, c store.Completion) error {
	s.note("complete")
	s.mu.Lock()
	s.completions = append(s.completions, c)
	s.mu.Unlock()
	return s.Memory.Complete(ctx, c)
}

func (s *spy) Release(ctx context.Context, r store.Release) error {
	s.note("release")
	return s.Memory.Release(ctx, r)
}

func (s *spy) Get(ctx context.Context, key store.Key) (store.Record, error) {
	s.note("get")
	return s.Memory.Get(ctx, key)
}

func TestManaged_FirstRunTakesTwoOperationsAndAReplayOne(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, guard.WithStore(s))
	k.call(alice, "pay.now", validPay)
	assert.Equal(t, []string{"claim", "complete"}, s.asked())
	assert.True(t, s.claims[0].Start)
	k.call(alice, "pay.now", validPay)
	assert.Equal(t, []string{"claim", "complete", "claim"}, s.asked())
}

func TestManaged_LooksUpTheRecordBeforeAskingAndClaimsLast(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	tool := n.managedPayer("pay.now", byArguments, nil).ConfirmWhen(func(payInput) bool { return false }).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s))
	k.call(alice, "pay.now", validPay)
	assert.Equal(t, []string{"get", "claim", "mark", "complete"}, s.asked())
	assert.False(t, s.claims[0].Start)
	k.call(alice, "pay.now", validPay)
	assert.Equal(t, []string{"get", "claim", "mark", "complete", "get"}, s.asked())
}

func TestManaged_RefusalsBeforeTheHandlerDoNotClaim(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	deny := guard.WithAuthorizer(func(context.Context, guard.Action) error { return errors.New("no") })
	tool := n.managedPayer("pay.now", byArguments, nil).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s), deny)
	for _, call := range []struct {
		who       guard.Principal
		arguments string
	}{{guard.Principal{}, validPay}, {bob, validPay}, {alice, `{"pay":{"amount":101}}`}, {alice, validPay}} {
		require.True(t, k.call(call.who, "pay.now", call.arguments).IsError)
	}
	asks := n.managedPayer("pay.now", byArguments, nil).ConfirmAlways().MustBuild()
	k = newKit(t, []*contract.Tool{asks}, guard.WithStore(s))
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeConfirmationRequired, contract.ClassFatal)
	assert.Equal(t, []string{"get"}, s.asked())
}

func TestManaged_CallWithoutAConcurrencySlotDoesNotClaim(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &spy{Memory: newMemory(t)}
	started, goOn := make(chan struct{}), make(chan struct{})
	tool := n.managedPayer("pay.now", byClientKey, func(context.Context, payInput) error {
		close(started)
		<-goOn
		return nil
	}).MaxConcurrent(1).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s))
	first := make(chan *guard.Result)
	go func() { first <- k.callKeyed(alice, "pay.now", validPay, "k1") }()
	<-started
	refused(t, k.callKeyed(alice, "pay.now", validPay, "k2"), contract.CodeUnavailable, contract.ClassRetryable)
	assert.Equal(t, []string{"claim", "get"}, s.asked(), "the record is queried, because an outcome would be replayed")
	close(goOn)
	<-first
}

func TestManaged_LateResultIsTheOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		goOn := make(chan struct{})
		tool := n.managedPayer("pay.now", refusing(byArguments), func(context.Context, payInput) error {
			<-goOn
			return nil
		}).Timeout(time.Minute).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeTimeout, contract.ClassRetryable)
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeKeyInProgress, contract.ClassRetryable)
		close(goOn)
		synctest.Wait()
		r := k.call(alice, "pay.now", validPay)
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
		assert.JSONEq(t, `{"paid":10}`, string(r.Structured))
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
		late := k.log.Events(audit.Late)
		require.Len(t, late, 1)
		assert.False(t, late[0].NotPersisted)
	})
}

func TestManaged_RunningHandlerHoldsItsClaimForTenTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &counter{}
		goOn := make(chan struct{})
		tool := n.managedPayer("pay.now", refusing(byArguments), func(context.Context, payInput) error {
			<-goOn
			return nil
		}).Timeout(time.Minute).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		started := time.Now()
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeTimeout, contract.ClassRetryable)
		time.Sleep(time.Until(started.Add(10*time.Minute - time.Second)))
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeKeyInProgress, contract.ClassRetryable)
		time.Sleep(time.Second + 1)
		refused(t, k.call(alice, "pay.now", validPay), contract.CodeOutcomeUnknown, contract.ClassFatal)
		close(goOn) // no call took the claim over, so the outcome counts
		synctest.Wait()
		assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
		assert.EqualValues(t, 1, n.runs.Load())
		require.NoError(t, k.guard.Close(t.Context()))
	})
}

func TestManaged_HandlerThatObeysItsTimeoutLeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for choice, second := range map[idempotency.OnUnknown]string{idempotency.Refuse: contract.CodeOutcomeUnknown,
		idempotency.Rerun: contract.CodeTimeout} {
		synctest.Test(t, func(t *testing.T) {
			n := &counter{}
			i := byArguments
			i.OnUnknown = choice
			tool := n.managedPayer("pay.now", i, func(ctx context.Context, _ payInput) error {
				<-ctx.Done()
				return ctx.Err()
			}).Timeout(time.Minute).MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeTimeout, contract.ClassRetryable)
			synctest.Wait() // the handler and its timeout may end in any order
			assert.Equal(t, second, k.call(alice, "pay.now", validPay).Outcome.Code)
			require.NoError(t, k.guard.Close(t.Context()))
		})
	}
}

func TestManaged_UnknownOutcomeRunsNothingAgainUnlessTheContractDeclaresIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		effect   risk.Effect
		declared idempotency.OnUnknown
		code     string
		runs     int64
	}{
		"a read":                         {risk.ReadOnly, 0, contract.CodeOutcomeUnknown, 1},
		"a low-risk write":               {risk.LowRiskWrite, 0, contract.CodeOutcomeUnknown, 1},
		"a high-risk write":              {risk.HighRiskWrite, 0, contract.CodeOutcomeUnknown, 1},
		"a low-risk write with a rerun":  {risk.LowRiskWrite, idempotency.Rerun, contract.CodeInternalError, 2},
		"a high-risk write with a rerun": {risk.HighRiskWrite, idempotency.Rerun, contract.CodeInternalError, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			i := byArguments
			i.OnUnknown = c.declared
			b := n.managedPayer("pay.now", i, func(context.Context, payInput) error { return errSecret }).Effect(c.effect)
			if c.effect == risk.HighRiskWrite {
				b.ConfirmNever("the amount is bounded")
			}
			k := newKit(t, []*contract.Tool{b.MustBuild()})
			k.call(alice, "pay.now", validPay)
			refused(t, k.call(alice, "pay.now", validPay), c.code, contract.ClassFatal)
			assert.Equal(t, c.runs, n.runs.Load())
		})
	}
}

func TestManaged_UndeclaredErrorIsFatalAndItsOutcomeUnknown(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.managedPayer("pay.now", refusing(byArguments), func(context.Context, payInput) error { return errSecret }).
		OtherErrors(contract.ClassFatal).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	require.Equal(t, contract.ClassFatal, k.call(alice, "pay.now", validPay).Outcome.Class)
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeOutcomeUnknown, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestManaged_ResultThatBrokeItsSchemaIsNeverReleased(t *testing.T) {
	t.Parallel()
	type out struct {
		State string `json:"state" jsonschema:"enum=on,enum=off"`
	}
	tool, n := anything("lamp.set", out{"broken"}, byArguments)
	k := newKit(t, []*contract.Tool{tool})
	first := k.call(alice, "lamp.set", `{}`)
	refused(t, first, contract.CodeOutputInvalid, contract.ClassFatal)
	replayOf(t, first, k.call(alice, "lamp.set", `{}`))
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestManaged_ContentAndMetaAreReplayedUnchanged(t *testing.T) {
	t.Parallel()
	size, priority := int64(7), 0.5
	about := contract.Annotations{Audience: []string{"user"}, Priority: &priority, LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0,
		time.UTC)}
	meta := map[string]any{"n": int64(9007199254740993), "list": []any{"a", true, nil}}
	reply := contract.Reply[payOutput]{
		Out: payOutput{3},
		Content: []contract.Content{
			contract.TextContent{Text: "<b>&\u2028", Annotations: about, Meta: meta},
			contract.ImageContent{Data: []byte{0, 255}, MIMEType: "image/png"},
			contract.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"},
			contract.LinkContent{URI: "file:///a", Name: "a", Size: &size},
			contract.ResourceContent{URI: "file:///b", Text: "b", ResourceMeta: meta},
			contract.ResourceContent{URI: "file:///c", Blob: []byte{2}},
		},
		Meta: meta,
	}
	tool, n := anything("say.it", reply, byArguments)
	k := newKit(t, []*contract.Tool{tool})
	first := k.call(alice, "say.it", `{}`)
	require.False(t, first.IsError, first.Text)
	second := k.call(alice, "say.it", `{}`)
	replayOf(t, first, second)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestManaged_ResultCanSetItsExpiry(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		until func(payInput, payOutput) time.Time
		lives time.Duration
	}{
		"an earlier moment": {func(payInput, payOutput) time.Time { return time.Now().Add(time.Minute) }, time.Minute},
		"a later moment": {func(payInput, payOutput) time.Time { return time.Now().Add(1000 * time.Hour) },
			15 * time.Minute},
		"undeclared":           {func(payInput, payOutput) time.Time { return time.Time{} }, 15 * time.Minute},
		"a panic":              {func(payInput, payOutput) time.Time { panic("no") }, 15 * time.Minute},
		"a moment in the past": {func(payInput, payOutput) time.Time { return time.Now().Add(-time.Minute) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				tool := n.managedPayer("pay.now", byArguments, nil).ReplayUntil(c.until).MustBuild()
				k := newKit(t, []*contract.Tool{tool})
				k.call(alice, "pay.now", validPay)
				if c.lives > 0 {
					time.Sleep(c.lives - 1)
					assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)
					time.Sleep(time.Nanosecond)
				}
				assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
				require.NoError(t, k.guard.Close(t.Context()))
			})
		})
	}
}

func TestManaged_ReplicasShareRecordsAndKeysRotate(t *testing.T) {
	t.Parallel()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	store := newMemory(t)
	n := &counter{}
	replica := func(current []byte, previous ...[]byte) *kit {
		return newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()},
			guard.WithStore(store), guard.WithSealingKeys(current, previous...))
	}
	old := replica(key(1))
	first := old.callKeyed(alice, "pay.now", validPay, "a")
	replayOf(t, first, replica(key(1)).callKeyed(alice, "pay.now", validPay, "a"))
	rotated := replica(key(2), key(1))
	replayOf(t, first, rotated.callKeyed(alice, "pay.now", validPay, "a"))
	rotated.callKeyed(alice, "pay.now", validPay, "b")
	// A replica without the sealing key cannot open the result, and does not
	// run.
	refused(t, old.callKeyed(alice, "pay.now", validPay, "b"), contract.CodeAlreadyDone, contract.ClassFatal)
	assert.EqualValues(t, 2, n.runs.Load())

	apart := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()},
		guard.WithStore(store), guard.WithSealingKeys(key(1)), guard.WithNamespace("another server"))
	assert.Equal(t, contract.StatusOK, apart.callKeyed(alice, "pay.now", validPay, "a").Outcome.Status)
}

// While keys rotate, some replicas lack the newest key. They answer for its
// records without comparing the arguments, and run nothing.
func TestManaged_FingerprintsAreRecognisedWhileKeysRotate(t *testing.T) {
	t.Parallel()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	memory := newMemory(t)
	n := &counter{}
	rerun := byClientKey
	rerun.OnUnknown = idempotency.Rerun
	replica := func(current []byte, previous ...[]byte) *kit {
		tools := []*contract.Tool{
			n.managedPayer("pay.now", byClientKey, nil).MustBuild(),
			n.managedPayer("pay.asked", byClientKey, nil).ConfirmAlways().MustBuild(),
			n.managedPayer("pay.failing", rerun, func(context.Context, payInput) error { return errSecret }).MustBuild(),
		}
		return newKit(t, tools, guard.WithStore(memory), guard.WithSealingKeys(current, previous...))
	}
	const otherPay = `{"pay":{"amount":11}}`
	old, both, next := replica(key(1)), replica(key(2), key(1)), replica(key(2))
	asked := func(arguments string) round {
		return round{who: alice, tool: "pay.asked", arguments: arguments, key: "q"}
	}

	first := old.callKeyed(alice, "pay.now", validPay, "a")
	replayOf(t, first, both.callKeyed(alice, "pay.now", validPay, "a"))
	refused(t, both.callKeyed(alice, "pay.now", otherPay, "a"), contract.CodeKeyConflict, contract.ClassRetryable)
	refused(t, next.callKeyed(alice, "pay.now", validPay, "a"), contract.CodeAlreadyDone, contract.ClassFatal)
	refused(t, next.callKeyed(alice, "pay.now", otherPay, "a"), contract.CodeAlreadyDone, contract.ClassFatal)
	require.EqualValues(t, 1, n.runs.Load())

	question := asked(validPay)
	ran, err := old.round(question.with(old.asked(question).State, confirmed))
	require.NoError(t, err)
	again, err := both.round(question)
	require.NoError(t, err)
	replayOf(t, ran, again)
	other, err := both.round(asked(otherPay))
	require.NoError(t, err)
	refused(t, other, contract.CodeKeyConflict, contract.ClassRetryable)
	require.EqualValues(t, 2, n.runs.Load())

	old.callKeyed(alice, "pay.failing", validPay, "f")
	refused(t, next.callKeyed(alice, "pay.failing", validPay, "f"), contract.CodeOutcomeUnknown, contract.ClassFatal)
	require.EqualValues(t, 3, n.runs.Load(), "the arguments of the failed call cannot be compared")
	refused(t, both.callKeyed(alice, "pay.failing", validPay, "f"), contract.CodeInternalError, contract.ClassFatal)
	require.EqualValues(t, 4, n.runs.Load())
}

// An unkeyed store gets the fingerprints of versions before they were keyed.
type unkeyed struct {
	*store.Memory
	arguments string // empty: claims are left as they are
}

func (u *unkeyed) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	if u.arguments != "" {
		c.Fingerprint = store.Fingerprint([]byte(u.arguments))
	}
	return u.Memory.Claim(ctx, c)
}

func TestManaged_UnkeyedFingerprintOfAnOlderVersionIsRecognised(t *testing.T) {
	t.Parallel()
	n := &counter{}
	s := &unkeyed{Memory: newMemory(t), arguments: validPay}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byClientKey, nil).MustBuild()}, guard.WithStore(s))
	first := k.callKeyed(alice, "pay.now", validPay, "a")
	s.arguments = ""
	replayOf(t, first, k.callKeyed(alice, "pay.now", validPay, "a"))
	refused(t, k.callKeyed(alice, "pay.now", `{"pay":{"amount":11}}`, "a"), contract.CodeAlreadyDone, contract.ClassFatal)
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestManaged_ResultThatBreaksANewContractIsNotReplayed(t *testing.T) {
	t.Parallel()
	type narrowed struct {
		Paid int64 `json:"paid" jsonschema:"maximum=5"`
	}
	store, key := newMemory(t), guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32))
	serve := func(tool *contract.Tool) *kit { return newKit(t, []*contract.Tool{tool}, guard.WithStore(store), key) }
	n := &counter{}
	before := serve(n.managedPayer("pay.now", byArguments, nil).MustBuild())
	before.call(alice, "pay.now", validPay)
	for name, tool := range map[string]*contract.Tool{
		"a narrower schema": contract.New("pay.now", func(context.Context, payInput) (narrowed,
			error) {
			n.runs.Add(1)
			return narrowed{}, nil
		}).
			From(writing()).Idempotency(byArguments).MustBuild(),
		"a text result": contract.New("pay.now", func(context.Context, payInput) (string, error) { n.runs.Add(1); return "", nil }).
			From(writing()).Idempotency(byArguments).MustBuild(),
		"a smaller limit": n.managedPayer("pay.now", byArguments, nil).MaxResultBytes(3).MustBuild(),
	} {
		refused(t, serve(tool).call(alice, "pay.now", validPay), contract.CodeAlreadyDone, contract.ClassFatal)
		assert.EqualValues(t, 1, n.runs.Load(), name)
	}
}

func TestManaged_StoredResultsAreSealed(t *testing.T) {
	t.Parallel()
	tool, _ := anything("say.it", "a very private text", byArguments)
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, []*contract.Tool{tool}, guard.WithStore(s))
	k.call(alice, "say.it", `{}`)
	require.Len(t, s.completions, 1)
	assert.NotEmpty(t, s.completions[0].Result)
	assert.NotContains(t, string(s.completions[0].Result), "private")
}

func TestManaged_HandlerCanPassTheKeyOn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var keys []string
	n := &counter{}
	rerun := byArguments
	rerun.OnUnknown = idempotency.Rerun
	tool := n.managedPayer("pay.now", rerun, func(ctx context.Context, _ payInput) error {
		key, ok := guard.IdempotencyKey(ctx)
		mu.Lock()
		defer mu.Unlock()
		if ok {
			keys = append(keys, key)
		}
		return errSecret // unknown, so the call runs again
	}).MustBuild()
	plain := writer("note.add", func(ctx context.Context) error {
		_, ok := guard.IdempotencyKey(ctx)
		assert.False(t, ok)
		return nil
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool, plain})
	k.call(alice, "note.add", "")
	k.call(alice, "pay.now", validPay)
	k.call(alice, "pay.now", validPay)
	k.call(alice, "pay.now", `{"pay":{"amount":11}}`)
	require.Len(t, keys, 3)
	assert.Len(t, keys[0], 64)
	assert.Equal(t, keys[0], keys[1])
	assert.NotEqual(t, keys[0], keys[2])
}

func TestManaged_OperatorResolvesUnknownOutcomes(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.managedPayer("pay.now", refusing(byArguments), func(_ context.Context, in payInput) error {
		if n.runs.Load() > 2 {
			return nil
		}
		return errSecret
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	ops := as(t.Context(), carol)
	lookup := map[string]string{}
	for _, arguments := range []string{validPay, `{"pay":{"amount":11}}`} {
		before := len(k.log.Events(audit.Terminal))
		k.call(alice, "pay.now", arguments)
		refused(t, k.call(alice, "pay.now", arguments), contract.CodeOutcomeUnknown, contract.ClassFatal)
		require.Eventually(t, func() bool { return len(k.log.Events(audit.Terminal)) == before+2 }, time.Minute, time.Millisecond)
		lookup[arguments] = k.log.Events(audit.Terminal)[before].LookupKey
	}
	require.NoError(t, k.guard.ResolveUnknown(ops, lookup[validPay], store.Happened))
	refused(t, k.call(alice, "pay.now", validPay), contract.CodeAlreadyDone, contract.ClassFatal)
	require.ErrorIs(t, k.guard.ResolveUnknown(ops, lookup[validPay], store.Happened), store.ErrNotUnknown)
	require.NoError(t, k.guard.ResolveUnknown(ops, lookup[`{"pay":{"amount":11}}`], store.DidNotHappen))
	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.now", `{"pay":{"amount":11}}`).Outcome.Status)
	require.ErrorIs(t, k.guard.ResolveUnknown(ops, (store.Key{ID: store.Digest{1}}).String(), store.Happened), store.ErrNotFound)

	require.Error(t, k.guard.ResolveUnknown(ops, "no key", store.Happened))
	require.Error(t, k.guard.ResolveUnknown(ops, lookup[validPay], 0))
	require.Error(t, k.guard.ResolveUnknown(t.Context(), lookup[validPay], store.Happened), "resolving needs a principal")

	events := slices.DeleteFunc(k.events(audit.Terminal), func(e audit.Event) bool { return e.Stage != "resolveunknown" })
	require.Len(t, events, 4)
	assert.Equal(t, lookup[validPay], events[0].LookupKey)
	assert.Equal(t, "carol", events[0].Principal)
	assert.Equal(t, []string{"ok", "error", "ok", "error"}, []string{events[0].Status, events[1].Status, events[2].Status,
		events[3].Status})
	intents := k.log.Events(audit.Intent)
	require.Len(t, intents, 4)
	assert.Equal(t, events[0].CallID, intents[0].CallID)
}

func TestManaged_ResolvingNeedsTheAuditLog(t *testing.T) {
	t.Parallel()
	down := guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return errors.New("disk full") }))
	s := &spy{Memory: newMemory(t)}
	k := newKit(t, nil, down, guard.WithStore(s))
	require.Error(t, k.guard.ResolveUnknown(as(t.Context(), carol), (store.Key{ID: store.Digest{1}}).String(), store.Happened))
	assert.Empty(t, s.asked())
}

func TestManaged_InvalidOptionsAreErrors(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{1}, 32)
	shared := sharedMemory{newMemory(t)}
	for name, opts := range map[string][]guard.Option{
		"no store":                     {guard.WithStore(nil)},
		"the zero store":               {guard.WithStore(new(store.Memory))},
		"a nil pointer to a store":     {guard.WithStore((*store.Memory)(nil))},
		"a shared store without a key": {guard.WithStore(shared)},
		"a short key":                  {guard.WithSealingKeys(key[:31])},
		"a short previous key":         {guard.WithSealingKeys(key, key[:31])},
		"the same key twice":           {guard.WithSealingKeys(key, key)},
		"no lease":                     {guard.WithTimes(guard.Times{Lease: time.Nanosecond})},
	} {
		_, err := guard.New(opts...)
		assert.Error(t, err, name)
	}
	_, err := guard.New(guard.WithStore(shared), guard.WithSealingKeys(key))
	assert.NoError(t, err)
}

func TestManaged_ToolsWithoutASharedStoreAreReported(t *testing.T) {
	t.Parallel()
	n := &counter{}
	high := func(name string) *contract.Tool {
		return n.managedPayer(name, byArguments, nil).Risk(risk.High).ConfirmNever("the amount is bounded").MustBuild()
	}
	rerun := n.managedPayer("pay.again", contract.Idempotency{Mode: idempotency.Managed, OnUnknown: idempotency.Rerun}, nil).
		Risk(risk.High).ConfirmNever("the amount is bounded").MustBuild()
	tools := []*contract.Tool{high("pay.now"), high("pay.late"), rerun, n.managedPayer("pay.small", byArguments, nil).MustBuild(),
		n.payer("pay.any").MustBuild()}
	assert.Equal(t, []string{"pay.late", "pay.now"}, newKit(t, tools).set.Adapter().Volatile())
	shared := sharedMemory{newMemory(t)}
	assert.Empty(t, newKit(t, tools, guard.WithStore(shared), guard.WithSealingKeys(bytes.Repeat([]byte{1},
		32))).set.Adapter().Volatile())
}

func TestManaged_ReadOnlyToolCanBeManaged(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := contract.New("report.make", func(context.Context, empty) (string, error) {
		n.runs.Add(1)
		return "done", nil
	}).Description("Makes a costly report.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Idempotency(
		byArguments).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	replayOf(t, k.call(alice, "report.make", `{}`), k.call(alice, "report.make", `{}`))
}

// A sharedMemory stands for a store that several processes share.
type sharedMemory struct{ *store.Memory }

func (sharedMemory) IsLocal() bool { return false }

// A tool author need not declare the trust in results.
func TestManaged_ReplaysAResultOfUndeclaredTrust(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := contract.New("pay.now", func(_ context.Context, in payInput) (payOutput, error) {
		n.runs.Add(1)
		return payOutput{in.Pay.Amount}, nil
	}).Description("Pays.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("mail:send").Idempotency(byArguments).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	replayOf(t, k.call(alice, "pay.now", validPay), k.call(alice, "pay.now", validPay))
	assert.EqualValues(t, 1, n.runs.Load())
}
