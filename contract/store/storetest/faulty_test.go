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

// perform calls an operation on the record of a claim.
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
		err = s.Release(ctx, c.Key, c.Owner)
	case storetest.Get:
		_, err = s.Get(ctx, c.Key)
	case storetest.Resolve:
		err = s.Resolve(ctx, c.Key, store.Happened)
	case storetest.Add, storetest.Max, storetest.Reset: // are not a store's
	}
	return err
}

// prepared returns a store in which the operation succeeds and changes the record, if it is one that does.
func prepared(t *testing.T, op storetest.Operation) (store.Store, store.Claim) {
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
	return s, c
}

func TestFaultyFailsEachOperationBeforeAndAfterItTakesPlace(t *testing.T) {
	t.Parallel()
	own := errors.New("connection reset")
	for _, op := range storetest.Operations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s, c := prepared(t, op)
			f := storetest.NewFaulty(s)
			f.FailBefore(op, 0, nil)
			f.FailAfter(op, 1, own)
			before, err := s.Get(t.Context(), c.Key)
			require.NoError(t, err)

			require.ErrorIs(t, perform(t.Context(), f, op, c), storetest.ErrFault)
			after, err := s.Get(t.Context(), c.Key)
			require.NoError(t, err)
			assert.Equal(t, before, after, "a call that fails before does not reach the store")
			assert.Equal(t, 1, f.Count(op))

			require.ErrorIs(t, perform(t.Context(), f, op, c), own)
			after, err = s.Get(t.Context(), c.Key)
			require.NoError(t, err)
			if op != storetest.Get {
				assert.NotEqual(t, before, after, "a call that fails after does")
			}
			assert.Equal(t, 2, f.Count(op))
			for _, other := range storetest.Operations() {
				if other != op {
					assert.Zero(t, f.Count(other))
				}
			}
			switch op { // nothing is wrong with the third
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

func TestFaultyHidesTheAnswerOfACallThatFailsAfter(t *testing.T) {
	t.Parallel()
	f := storetest.NewFaulty(newStore(""))
	f.FailAfter(storetest.Claim, 0, nil)
	f.FailAfter(storetest.Get, 0, nil)
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
}

func TestFaultyFailsEveryCallUntilItIsHealed(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, storetest.Mark)
	f := storetest.NewFaulty(s)
	own := errors.New("connection reset")
	f.FailBefore(storetest.Mark, storetest.Every, nil)
	f.FailBefore(storetest.Mark, 1, own)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), storetest.ErrFault)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), own, "one index comes before every one")
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), storetest.ErrFault)
	f.Heal()
	require.NoError(t, f.Mark(t.Context(), c.Key, c.Owner))
	assert.Equal(t, 4, f.Count(storetest.Mark))
}

func TestFaultyDelaysACallUntilItIsReleased(t *testing.T) {
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

func TestFaultyGivesADelayedCallUpWithItsContext(t *testing.T) {
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
	require.ErrorIs(t, f.Mark(ctx, c.Key, c.Owner), context.Canceled, "a second that waits is no harm")
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.False(t, r.Started)
}

func TestFaultyDelaysWhatThenFails(t *testing.T) {
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

func TestFaultyIsAsLocalAsItsStore(t *testing.T) {
	t.Parallel()
	m, err := store.NewMemory()
	require.NoError(t, err)
	assert.True(t, storetest.NewFaulty(m).IsLocal())
	assert.False(t, storetest.NewFaulty(newStore("")).IsLocal())
}

func TestFaultyCountsAsItIsToldTo(t *testing.T) {
	t.Parallel()
	s, ctx := newStore(""), t.Context()
	f := storetest.NewFaulty(s)
	counter := f.Counting(s)
	key := store.Scope{Tool: "t"}.Key("k")
	add := func() error { _, err := counter.Add(ctx, key, "kind", time.Hour); return err }
	highest := func() int64 {
		n, err := s.Max(ctx, key)
		require.NoError(t, err)
		return n
	}
	f.FailBefore(storetest.Add, 0, nil)
	require.ErrorIs(t, add(), storetest.ErrFault)
	assert.Zero(t, highest(), "a call that fails before does not reach the counter")
	f.FailAfter(storetest.Add, 1, nil)
	require.ErrorIs(t, add(), storetest.ErrFault)
	assert.EqualValues(t, 1, highest(), "a call that fails after does")
	require.NoError(t, add())

	f.FailAfter(storetest.Max, storetest.Every, nil)
	n, err := counter.Max(ctx, key)
	require.ErrorIs(t, err, storetest.ErrFault)
	assert.Zero(t, n)
	f.FailBefore(storetest.Reset, storetest.Every, nil)
	require.ErrorIs(t, counter.Reset(ctx, key), storetest.ErrFault)
	assert.EqualValues(t, 2, highest())
	f.Heal()
	require.NoError(t, counter.Reset(ctx, key))
	n, err = counter.Max(ctx, key)
	require.NoError(t, err)
	assert.Zero(t, n)
	for op, want := range map[storetest.Operation]int{storetest.Add: 3, storetest.Max: 2, storetest.Reset: 2, storetest.Claim: 0} {
		assert.Equal(t, want, f.Count(op), op)
	}
}

func TestFaultyThatIsToldNothingKeepsTheRules(t *testing.T) {
	t.Parallel()
	newHarness := func(*testing.T) storetest.Harness {
		h := newStore("").harness()
		f := storetest.NewFaulty(h.Store)
		h.Store, h.Counter = f, f.Counting(h.Counter)
		return h
	}
	storetest.RunStore(t, newHarness)
	storetest.RunCounter(t, newHarness)
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
		answer, err := faulty.Claim(context.Background(), claim)
		fmt.Println(answer.Verdict, err)
	}
	fmt.Println(faulty.Count(storetest.Claim))
	// Output:
	// undeclared connection reset
	// claimed <nil>
	// 2
}
