package redisstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

// lossy returns a connected store over a network that can lose replies, and a
// second store over a network that does not.
func lossy(t *testing.T) (*redisstore.Store, *redisstore.Store, *proxy) {
	t.Helper()
	url := redistest.Start(t)
	direct := open(t, url)
	everyOperation(t, direct, claim(keyOf("warm", "up"), store.NewOwner())) // so that the server knows the scripts
	network := newProxy(t, url)
	s := open(t, network.URL+"?read_timeout=1h&write_timeout=1h&dial_timeout=1h")
	_, err := s.Get(t.Context(), keyOf("warm", "up"))
	require.NoError(t, err)
	return s, direct, network
}

func TestLostReply_IsRepeatedWithoutASecondExecution(t *testing.T) {
	t.Parallel()
	s, direct, network := lossy(t)
	ctx := t.Context()
	c := newClaim(t)
	c.Nonce = store.Nonce{Key: keyOf(t.Name(), "nonce"), TTL: lease}
	losing := func(what string, do func() error) {
		t.Helper()
		before := network.Lost()
		network.Lose(1)
		require.NoError(t, do(), what)
		require.Equal(t, before+1, network.Lost(), "%s: a reply was lost", what)
	}
	losing("Claim", func() error {
		a, err := s.Claim(ctx, c)
		assert.Equal(t, store.Claimed, a.Status)
		return err
	})
	rival := claim(c.Key, store.NewOwner())
	a, err := direct.Claim(ctx, rival)
	require.NoError(t, err)
	assert.Equal(t, store.Running, a.Status, "no other owner executes")
	losing("Mark", func() error { return s.Mark(ctx, c.Key, c.Owner) })
	losing("Renew", func() error { return s.Renew(ctx, c.Key, c.Owner, lease) })
	losing("Spend", func() error {
		spent, err := s.Spend(ctx, c.Nonce, c.Owner)
		assert.True(t, spent)
		return err
	})
	losing("Complete", func() error { return s.Complete(ctx, completion(c, "first")) })
	losing("Complete again", func() error { return s.Complete(ctx, completion(c, "second")) })
	losing("Claim by another", func() error {
		a, err := s.Claim(ctx, rival)
		assert.Equal(t, "first", string(a.Result))
		return err
	})
	losing("Reset", func() error { return s.Reset(ctx, c.Key) })
}

func TestLostReply_OfAnUnsafeOperationIsNotRepeated(t *testing.T) {
	t.Parallel()
	s, direct, network := lossy(t)
	ctx := t.Context()
	removal := func(c store.Claim) store.Completion {
		return store.Completion{Key: c.Key, Owner: c.Owner, State: store.Completed}
	}
	for name, do := range map[string]func(c store.Claim) error{
		"Release":  func(c store.Claim) error { return s.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner}) },
		"Complete": func(c store.Claim) error { return s.Complete(ctx, removal(c)) },
		"Resolve": func(c store.Claim) error {
			unknown := store.Completion{Key: c.Key, Owner: c.Owner, State: store.Unknown, Retention: retention}
			require.NoError(t, direct.Complete(ctx, unknown))
			return s.Resolve(ctx, c.Key, store.DidNotHappen)
		},
		"Add": func(c store.Claim) error { _, err := s.Add(ctx, c.Key, "kind", lease); return err },
	} {
		c := claim(keyOf(t.Name(), name), store.NewOwner())
		_, err := direct.Claim(ctx, c)
		require.NoError(t, err)
		network.Lose(1)
		err = do(c)
		require.Error(t, err, name)
		for _, known := range []error{store.ErrLost, store.ErrNotFound, store.ErrNotUnknown} {
			assert.NotErrorIs(t, err, known, "%s does not report what it does not know", name)
		}
		_, err = s.Get(ctx, c.Key)
		require.NoError(t, err, "the next operation has a new connection")
		if name == "Add" {
			n, err := direct.Add(ctx, c.Key, "kind", lease)
			require.NoError(t, err)
			assert.EqualValues(t, 2, n, "the lost addition counted once")
			continue
		}
		r, err := direct.Get(ctx, c.Key)
		require.NoError(t, err)
		assert.Equal(t, store.NoRecord, r.State, "%s took place", name)
	}
}

func TestDeadNetwork_OperationsEndWithTheContext(t *testing.T) {
	t.Parallel()
	s, _, network := lossy(t)
	release := network.Hold()
	defer release()
	for name, start := range map[string]func() (context.Context, context.CancelFunc){
		"a deadline": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 20*time.Millisecond)
		},
		"a cancellation": func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(20*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := start()
		began := time.Now()
		_, err := s.Claim(ctx, newClaim(t))
		took := time.Since(began)
		cancel()
		require.Error(t, err, name)
		assert.True(t, errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled), "%s: %v", name, err)
		assert.Less(t, took, time.Minute, "%s ends sooner than the client's own timeout", name)
	}
}

func TestContext_ItsCauseIsTheError(t *testing.T) {
	t.Parallel()
	s := open(t, "redis://127.0.0.1:1")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(assert.AnError)
	_, err := s.Get(ctx, keyOf("p", "k"))
	assert.ErrorIs(t, err, assert.AnError)
}
