package redisstore_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

// roundTrips is a hook that counts commands and can refuse them.
type roundTrips struct {
	n      atomic.Int64
	refuse error
}

func (*roundTrips) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (h *roundTrips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		h.n.Add(1)
		if h.refuse != nil {
			return h.refuse
		}
		return next(ctx, cmd)
	}
}

func (*roundTrips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// counted returns a store whose server knows the scripts, and a counter of its
// round trips.
func counted(tb testing.TB) (*redisstore.Store, *roundTrips) {
	tb.Helper()
	client := operator(tb, redistest.Start(tb))
	s, err := redisstore.New(client)
	require.NoError(tb, err)
	c := claim(keyOf("warm", "up"), store.NewOwner())
	c.Nonce = store.Nonce{Key: keyOf("warm", "nonce"), TTL: lease}
	everyOperation(tb, s, c)
	hook := &roundTrips{}
	client.AddHook(hook)
	return s, hook
}

// everyOperation runs every operation.
func everyOperation(tb testing.TB, s *redisstore.Store, c store.Claim) {
	tb.Helper()
	ctx := tb.Context()
	a, err := s.Claim(ctx, c)
	require.NoError(tb, err)
	require.Equal(tb, store.Claimed, a.Status)
	require.NoError(tb, s.Mark(ctx, c.Key, c.Owner))
	require.NoError(tb, s.Renew(ctx, c.Key, c.Owner, lease))
	unknown := store.Completion{Key: c.Key, Owner: c.Owner, State: store.Unknown, Retention: retention}
	require.NoError(tb, s.Complete(ctx, unknown))
	require.NoError(tb, s.Resolve(ctx, c.Key, store.DidNotHappen))
	_, err = s.Claim(ctx, c)
	require.NoError(tb, err)
	require.NoError(tb, s.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner}))
	_, err = s.Get(ctx, c.Key)
	require.NoError(tb, err)
	if !c.Nonce.Key.IsZero() {
		spent, err := s.Spend(ctx, c.Nonce, c.Owner)
		require.NoError(tb, err)
		require.True(tb, spent)
	}
	_, err = s.Add(ctx, c.Key, "kind", lease)
	require.NoError(tb, err)
	_, err = s.Max(ctx, c.Key)
	require.NoError(tb, err)
	require.NoError(tb, s.Reset(ctx, c.Key))
}

func TestOperations_AreOneRoundTripEach(t *testing.T) {
	t.Parallel()
	s, sent := counted(t)
	ctx := t.Context()
	c := newClaim(t)
	c.Nonce = store.Nonce{Key: keyOf(t.Name(), "nonce"), TTL: lease}
	c.Budget = store.Budget{Key: keyOf(t.Name(), "counts"), Limit: 1}

	_, err := s.Claim(ctx, c)
	require.NoError(t, err)
	done := completion(c, "done")
	done.Forget = c.Budget.Key
	require.NoError(t, s.Complete(ctx, done))
	assert.EqualValues(t, 2, sent.n.Swap(0),
		"a first execution is a claim, with the mark, the nonce and the budget, and a completion, with what it forgets")

	again := claim(c.Key, store.NewOwner())
	again.Budget = c.Budget
	a, err := s.Claim(ctx, again)
	require.NoError(t, err)
	assert.Equal(t, store.ClaimResult{Status: store.Finished, State: store.Completed, Result: []byte("done")}, a)
	assert.EqualValues(t, 1, sent.n.Swap(0), "a replay is a claim")

	everyOperation(t, s, claim(keyOf(t.Name(), "other"), store.NewOwner()))
	assert.EqualValues(t, 11, sent.n.Load(), "eleven operations")
}

func TestHook_ItsRefusalIsAnError(t *testing.T) {
	t.Parallel()
	s, sent := counted(t)
	sent.refuse = assert.AnError
	c := newClaim(t)
	_, err := s.Claim(t.Context(), c)
	assert.ErrorIs(t, err, assert.AnError)
	assert.ErrorIs(t, s.Release(t.Context(), store.Release{Key: c.Key, Owner: c.Owner}), assert.AnError)
}
