package faultystore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/store"
)

func request() store.Claim {
	return store.Claim{
		Key: store.Scope{Tool: "t"}.Key("k"), Owner: store.NewOwner(), Lease: time.Hour, Retention: time.Hour,
	}
}

// perform calls an operation on a claim's record, nonce or counts.
func perform(ctx context.Context, s store.Store, op faultystore.Operation, c store.Claim) (err error) {
	switch op {
	case faultystore.Claim:
		_, err = s.Claim(ctx, c)
	case faultystore.Mark:
		err = s.Mark(ctx, c.Key, c.Owner)
	case faultystore.Renew:
		err = s.Renew(ctx, c.Key, c.Owner, 2*time.Hour)
	case faultystore.Complete:
		err = s.Complete(ctx, store.Completion{
			Key: c.Key, Owner: c.Owner, State: store.Completed, Result: []byte("r"), Retention: time.Hour,
		})
	case faultystore.Release:
		err = s.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner})
	case faultystore.Get:
		_, err = s.Get(ctx, c.Key)
	case faultystore.Resolve:
		err = s.Resolve(ctx, c.Key, store.Happened)
	case faultystore.Spend:
		_, err = s.Spend(ctx, store.Nonce{Key: c.Key, TTL: time.Hour}, c.Owner)
	case faultystore.Add:
		_, err = s.Add(ctx, c.Key, "kind", time.Hour)
	case faultystore.Max:
		_, err = s.Max(ctx, c.Key)
	case faultystore.Reset:
		err = s.Reset(ctx, c.Key)
	}
	return err
}

// prepared returns a store where the operation succeeds and, if it is an
// update, changes something.
func prepared(t *testing.T, op faultystore.Operation) (store.Store, store.Claim) {
	t.Helper()
	s, c := newMemory(t), request()
	if op != faultystore.Claim {
		_, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
	}
	if op == faultystore.Resolve {
		require.NoError(t, s.Complete(t.Context(), store.Completion{
			Key: c.Key, Owner: c.Owner, State: store.Unknown, Retention: time.Hour,
		}))
	}
	if op == faultystore.Reset {
		_, err := s.Add(t.Context(), c.Key, "kind", time.Hour)
		require.NoError(t, err)
	}
	return s, c
}

func newMemory(t *testing.T) *store.Memory {
	t.Helper()
	m, err := store.NewMemory()
	require.NoError(t, err)
	return m
}

func TestStore_FailsEachOperationBeforeAndAfterItTakesPlace(t *testing.T) {
	t.Parallel()
	own := errors.New("connection reset")
	for _, op := range faultystore.Operations() {
		t.Run(string(op), func(t *testing.T) {
			t.Parallel()
			s, c := prepared(t, op)
			reached := faultystore.New(s)
			f := faultystore.New(reached)
			f.FailBefore(op, 0, nil)
			f.FailAfter(op, 1, own)

			require.ErrorIs(t, perform(t.Context(), f, op, c), faultystore.ErrFault)
			assert.Zero(t, reached.Count(op), "a call that fails before does not reach the store")
			assert.Equal(t, 1, f.Count(op))

			require.ErrorIs(t, perform(t.Context(), f, op, c), own)
			assert.Equal(t, 1, reached.Count(op), "a call that fails after reaches the store")
			assert.Equal(t, 2, f.Count(op))
			for _, other := range faultystore.Operations() {
				if other != op {
					assert.Zero(t, f.Count(other))
				}
			}
			switch op { // the third call has no fault
			case faultystore.Release:
				assert.ErrorIs(t, perform(t.Context(), f, op, c), store.ErrLost)
			case faultystore.Resolve:
				assert.ErrorIs(t, perform(t.Context(), f, op, c), store.ErrNotUnknown)
			default:
				assert.NoError(t, perform(t.Context(), f, op, c))
			}
		})
	}
}

func TestStore_HidesTheAnswerOfACallThatFailsAfter(t *testing.T) {
	t.Parallel()
	f := faultystore.New(newMemory(t))
	for _, op := range []faultystore.Operation{faultystore.Claim, faultystore.Get, faultystore.Spend, faultystore.Add} {
		f.FailAfter(op, 0, nil)
	}
	c := request()
	a, err := f.Claim(t.Context(), c)
	require.ErrorIs(t, err, faultystore.ErrFault)
	assert.Zero(t, a)
	r, err := f.Get(t.Context(), c.Key)
	require.ErrorIs(t, err, faultystore.ErrFault)
	assert.Zero(t, r)
	r, err = f.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.Equal(t, store.InProgress, r.State)
	spent, err := f.Spend(t.Context(), store.Nonce{Key: c.Key, TTL: time.Hour}, c.Owner)
	require.ErrorIs(t, err, faultystore.ErrFault)
	assert.False(t, spent)
	n, err := f.Add(t.Context(), c.Key, "kind", time.Hour)
	require.ErrorIs(t, err, faultystore.ErrFault)
	assert.Zero(t, n)
}

func TestStore_FailsEveryCallUntilItIsHealed(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, faultystore.Mark)
	f := faultystore.New(s)
	own := errors.New("connection reset")
	f.FailBefore(faultystore.Mark, faultystore.Every, nil)
	f.FailBefore(faultystore.Mark, 1, own)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), faultystore.ErrFault)
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), own, "a fault for one index takes precedence")
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), faultystore.ErrFault)
	f.Heal()
	require.NoError(t, f.Mark(t.Context(), c.Key, c.Owner))
	assert.Equal(t, 4, f.Count(faultystore.Mark))
}

func TestStore_DelaysACallUntilItIsReleased(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, faultystore.Mark)
	f := faultystore.New(s)
	arrived, release := f.Delay(faultystore.Mark, 0)
	done := make(chan error)
	go func() { done <- f.Mark(t.Context(), c.Key, c.Owner) }()
	<-arrived
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.False(t, r.Started)
	assert.Equal(t, 1, f.Count(faultystore.Mark))
	release()
	release()
	require.NoError(t, <-done)
	r, err = s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.True(t, r.Started)
}

func TestStore_EndsADelayedCallWithItsContext(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, faultystore.Mark)
	f := faultystore.New(s)
	arrived, release := f.Delay(faultystore.Mark, faultystore.Every)
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

func TestStore_DelaysACallThatThenFails(t *testing.T) {
	t.Parallel()
	s, c := prepared(t, faultystore.Mark)
	f := faultystore.New(s)
	_, release := f.Delay(faultystore.Mark, 0)
	f.FailAfter(faultystore.Mark, 0, nil)
	release()
	require.ErrorIs(t, f.Mark(t.Context(), c.Key, c.Owner), faultystore.ErrFault)
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.True(t, r.Started)
}

// shared is a store of several processes.
type shared struct{ store.Store }

func (shared) IsLocal() bool { return false }

func TestStore_IsAsLocalAsTheStoreBelow(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	assert.True(t, faultystore.New(m).IsLocal())
	assert.False(t, faultystore.New(shared{m}).IsLocal())
}
