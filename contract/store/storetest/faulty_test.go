package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/contract/store/storetest"
)

func request() store.Claim {
	return store.Claim{
		Key: store.Scope{Tool: "t"}.Key("k"), Owner: store.NewOwner(), Lease: time.Hour, Retention: time.Hour,
	}
}

// perform calls an operation on the record, the nonce or the counts of a claim.
func perform(ctx context.Context, s store.Store, op storetest.Operation, c store.Claim) (err error) {
	switch op {
	case storetest.Claim:
		_, err = s.Claim(ctx, c)
	case storetest.Mark:
		err = s.Mark(ctx, c.Key, c.Owner)
	case storetest.Renew:
		err = s.Renew(ctx, c.Key, c.Owner, 2*time.Hour)
	case storetest.Complete:
		err = s.Complete(ctx, store.Completion{
			Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("r"), Retention: time.Hour,
		})
	case storetest.Release:
		err = s.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner})
	case storetest.Get:
		_, err = s.Get(ctx, c.Key)
	case storetest.Resolve:
		err = s.Resolve(ctx, c.Key, store.Happened)
	case storetest.Spend:
		_, err = s.Spend(ctx, store.Nonce{Key: c.Key, TTL: time.Hour}, c.Owner)
	case storetest.Add:
		_, err = s.Add(ctx, c.Key, "kind", time.Hour)
	case storetest.Max:
		_, err = s.Max(ctx, c.Key)
	case storetest.Reset:
		err = s.Reset(ctx, c.Key)
	}
	return err
}

// prepared returns a store in which the operation succeeds, and changes
// something if it is an update.
func prepared(t *testing.T, op storetest.Operation) (*quirky, store.Claim) {
	t.Helper()
	s, c := newStore(""), request()
	if op != storetest.Claim {
		_, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
	}
	if op == storetest.Resolve {
		require.NoError(t, s.Complete(t.Context(), store.Completion{
			Key: c.Key, Owner: c.Owner, State: store.Unknown, Retention: time.Hour,
		}))
	}
	if op == storetest.Reset {
		_, err := s.Add(t.Context(), c.Key, "kind", time.Hour)
		require.NoError(t, err)
	}
	return s, c
}

// content returns what a store keeps, in a form that can be compared.
func content(s *quirky) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintln(len(s.records), len(s.nonces), len(s.counts))
	for _, r := range s.records {
		text += fmt.Sprintln(*r)
	}
	for _, c := range s.counts {
		text += fmt.Sprintln(*c)
	}
	return text
}

func TestFaulty_FailsEachOperationBeforeAndAfterItTakesPlace(t *testing.T) {
	t.Parallel()
	own := errors.New("connection reset")
	for _, op := range storetest.Operations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s, c := prepared(t, op)
			f := storetest.NewFaulty(s)
			f.FailBefore(op, 0, nil)
			f.FailAfter(op, 1, own)
			before := content(s)

			require.ErrorIs(t, perform(t.Context(), f, op, c), storetest.ErrFault)
			assert.Equal(t, before, content(s), "a call that fails before does not reach the store")
			assert.Equal(t, 1, f.Count(op))

			require.ErrorIs(t, perform(t.Context(), f, op, c), own)
			if op != storetest.Get && op != storetest.Max {
				assert.NotEqual(t, before, content(s), "a call that fails after reaches the store")
			}
			assert.Equal(t, 2, f.Count(op))
			for _, other := range storetest.Operations() {
				if other != op {
					assert.Zero(t, f.Count(other))
				}
			}
			switch op { // the third call has no fault
			case storetest.Release:
				assert.ErrorIs(t, perform(t.Context(), f, op, c), store.ErrLost)
			case storetest.Resolve:
				assert.ErrorIs(t, perform(t.Context(), f, op, c), store.ErrNotUnknown)
			default:
				assert.NoError(t, perform(t.Context(), f, op, c))
			}
		})
	}
}

func TestFaulty_HidesTheAnswerOfACallThatFailsAfter(t *testing.T) {
	t.Parallel()
	f := storetest.NewFaulty(newStore(""))
	for _, op := range []storetest.Operation{storetest.Claim, storetest.Get, storetest.Spend, storetest.Add} {
		f.FailAfter(op, 0, nil)
	}
	c := request()
	a, err := f.Claim(t.Context(), c)
	require.ErrorIs(t, err, storetest.ErrFault)
	assert.Zero(t, a)
	r, err := f.Get(t.Context(), c.Key)
	require.ErrorIs(t, err, storetest.ErrFault)
	assert.Zero(t, r)
	r, err = f.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.Equal(t, store.InProgress, r.State)
	spent, err := f.Spend(t.Context(), store.Nonce{Key: c.Key, TTL: time.Hour}, c.Owner)
	require.ErrorIs(t, err, storetest.ErrFault)
	assert.False(t, spent)
	n, err := f.Add(t.Context(), c.Key, "kind", time.Hour)
	require.ErrorIs(t, err, storetest.ErrFault)
	assert.Zero(t, n)
}

func TestFaulty_FailsEveryCallUntilItIsHealed(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, storetest.Mark)
	f := storetest.NewFaulty(s)
	own := errors.New("connection reset")
	f.FailBefore(storetest.Mark, storetest.Every, nil)
	f.FailBefore(storetest.Mark, 1, own)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), storetest.ErrFault)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), own, "a fault for one index takes precedence")
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), storetest.ErrFault)
	f.Heal()
	require.NoError(t, f.Mark(t.Context(), c.Key, c.Owner))
	assert.Equal(t, 4, f.Count(storetest.Mark))
}

func TestFaulty_DelaysACallUntilItIsReleased(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, storetest.Mark)
	f := storetest.NewFaulty(s)
	arrived, release := f.Delay(storetest.Mark, 0)
	done := make(chan error)
	go func() { done <- f.Mark(t.Context(), c.Key, c.Owner) }()
	<-arrived
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.False(t, r.Started)
	assert.Equal(t, 1, f.Count(storetest.Mark))
	release()
	release()
	require.NoError(t, <-done)
	r, err = s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.True(t, r.Started)
}

func TestFaulty_EndsADelayedCallWithItsContext(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, storetest.Mark)
	f := storetest.NewFaulty(s)
	arrived, release := f.Delay(storetest.Mark, storetest.Every)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- f.Mark(ctx, c.Key, c.Owner) }()
	<-arrived
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.ErrorIs(t, f.Mark(ctx, c.Key, c.Owner), context.Canceled, "a second call that waits")
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.False(t, r.Started)
}

func TestFaulty_DelaysACallThatThenFails(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, storetest.Mark)
	f := storetest.NewFaulty(s)
	_, release := f.Delay(storetest.Mark, 0)
	f.FailAfter(storetest.Mark, 0, nil)
	release()
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), storetest.ErrFault)
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.True(t, r.Started)
}

func TestFaulty_IsAsLocalAsItsStore(t *testing.T) {
	t.Parallel()
	m, err := store.NewMemory()
	require.NoError(t, err)
	assert.True(t, storetest.NewFaulty(m).IsLocal())
	assert.False(t, storetest.NewFaulty(newStore("")).IsLocal())
}

func TestFaulty_WithoutFaultsFollowsTheRules(t *testing.T) {
	t.Parallel()
	newHarness := func(*testing.T) storetest.Harness {
		h := newStore("").harness()
		h.Store = storetest.NewFaulty(h.Store)
		return h
	}
	storetest.Run(t, newHarness)
}

func ExampleFaulty() {
	memory, err := store.NewMemory()
	if err != nil {
		fmt.Println(err)
		return
	}
	faulty := storetest.NewFaulty(memory)
	faulty.FailAfter(storetest.Claim, 0, errors.New("connection reset")) // the reply is lost

	claim := store.Claim{
		Key: store.Scope{Tool: "emails.send"}.Key("k"), Owner: store.NewOwner(),
		Lease: time.Minute, Retention: time.Hour,
	}
	for range 2 {
		result, err := faulty.Claim(context.Background(), claim)
		fmt.Println(result.Status, err)
	}
	fmt.Println(faulty.Count(storetest.Claim))
	// Output:
	// undeclared connection reset
	// claimed <nil>
	// 2
}
