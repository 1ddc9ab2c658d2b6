package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store"
)

func TestWhoNoLongerHoldsTheRecordChangesNothing(t *testing.T) {
	t.Parallel()
	key := keyOf("bob", "k")
	for name, succeed := range map[string]func(*testing.T, *store.Memory, *clock){
		"never claimed": func(*testing.T, *store.Memory, *clock) {},
		"taken over": func(t *testing.T, m *store.Memory, now *clock) {
			now.Advance(lease)
			c := claim(key, store.NewOwner())
			c.Rerun = true
			mustClaim(t, m, c)
		},
		"taken over and finished": func(t *testing.T, m *store.Memory, now *clock) {
			now.Advance(lease)
			c := claim(key, store.NewOwner())
			c.Rerun = true
			mustClaim(t, m, c)
			require.NoError(t, m.Complete(t.Context(), completion(c, []byte("the successor's"))))
		},
		"resolved as happened": func(t *testing.T, m *store.Memory, now *clock) {
			now.Advance(lease)
			require.NoError(t, m.Resolve(t.Context(), key, store.Happened))
		},
		"resolved as not": func(t *testing.T, m *store.Memory, now *clock) {
			now.Advance(lease)
			require.NoError(t, m.Resolve(t.Context(), key, store.DidNotHappen))
		},
		"expired": func(_ *testing.T, _ *store.Memory, now *clock) { now.Advance(retention) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, now := newMemory(t)
			c := claim(key, store.NewOwner())
			if name != "never claimed" {
				mustClaim(t, m, c)
			}
			succeed(t, m, now)
			before := record(t, m, key)
			assert.ErrorIs(t, m.Mark(t.Context(), key, c.Owner), store.ErrLost)
			assert.ErrorIs(t, m.Renew(t.Context(), key, c.Owner, lease), store.ErrLost)
			assert.ErrorIs(t, m.Complete(t.Context(), completion(c, []byte("late"))), store.ErrLost)
			assert.ErrorIs(t, m.Release(t.Context(), key, c.Owner), store.ErrLost)
			assert.Equal(t, before, record(t, m, key))
		})
	}
}

func TestWhatItsOwnerMayStillDo(t *testing.T) {
	t.Parallel()
	key := keyOf("bob", "k")
	t.Run("complete after the lease", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		c := claim(key, store.NewOwner())
		mustClaim(t, m, c)
		now.Advance(2 * lease)
		require.NoError(t, m.Complete(t.Context(), completion(c, []byte("late"))))
		r := record(t, m, key)
		assert.Equal(t, []byte("late"), r.Result)
		assert.Equal(t, retention, r.ExpiresIn, "from then on")
	})
	t.Run("complete or release an unknown one, but not mark or renew it", func(t *testing.T) {
		t.Parallel()
		m, _ := newMemory(t)
		c := claim(key, store.NewOwner())
		mustClaim(t, m, c)
		unknown := completion(c, nil)
		unknown.State = store.Unknown
		require.NoError(t, m.Complete(t.Context(), unknown))
		assert.ErrorIs(t, m.Mark(t.Context(), key, c.Owner), store.ErrLost)
		assert.ErrorIs(t, m.Renew(t.Context(), key, c.Owner, lease), store.ErrLost)
		require.NoError(t, m.Release(t.Context(), key, c.Owner))
		mustClaim(t, m, c)
		require.NoError(t, m.Complete(t.Context(), unknown))
		require.NoError(t, m.Complete(t.Context(), completion(c, []byte("r"))))
		assert.Equal(t, store.Completed, record(t, m, key).State)
	})
	t.Run("not change what is finished", func(t *testing.T) {
		t.Parallel()
		m, _ := newMemory(t)
		c := claim(key, store.NewOwner())
		mustClaim(t, m, c)
		require.NoError(t, m.Complete(t.Context(), completion(c, []byte("first"))))
		before := record(t, m, key)
		again := completion(c, []byte("second"))
		for _, again.State = range []store.State{store.Completed, store.Failed} {
			for _, again.Retention = range []time.Duration{0, -1, 2 * retention} {
				require.NoError(t, m.Complete(t.Context(), again))
			}
		}
		assert.ErrorIs(t, m.Release(t.Context(), key, c.Owner), store.ErrLost)
		assert.Equal(t, before, record(t, m, key))
	})
	t.Run("repeat its claim, which renews the lease and forgets no start", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		c := claim(key, store.NewOwner())
		mustClaim(t, m, c)
		now.Advance(lease)
		c.Start = false
		mustClaim(t, m, c)
		r := record(t, m, key)
		assert.True(t, r.Started)
		assert.Equal(t, lease, r.LeaseLeft)
	})
}

func TestResolveEndsADoubtAndNothingElse(t *testing.T) {
	t.Parallel()
	m, now := newMemory(t)
	key := keyOf("bob", "k")
	c := claim(key, store.NewOwner())
	assert.ErrorIs(t, m.Resolve(t.Context(), key, store.Happened), store.ErrNotFound)
	mustClaim(t, m, c)
	now.Advance(lease - tick)
	assert.ErrorIs(t, m.Resolve(t.Context(), key, store.DidNotHappen), store.ErrNotUnknown)
	now.Advance(tick)
	require.NoError(t, m.Resolve(t.Context(), key, store.Happened))
	assert.Equal(t, store.Record{
		State: store.Completed, Started: true, Fingerprint: c.Fingerprint, ExpiresIn: retention - lease,
	}, record(t, m, key))
	assert.ErrorIs(t, m.Resolve(t.Context(), key, store.DidNotHappen), store.ErrNotUnknown)
}

func TestANonceIsSpentOnlyWhereTheRecordIsClaimed(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	key, other := keyOf("bob", "k"), keyOf("bob", "other")
	mustFinish(t, m, key, nil)
	c := claim(key, store.NewOwner())
	c.Nonce = store.Nonce{Key: keyOf("bob", "n"), TTL: retention}
	require.Equal(t, store.Finished, verdict(t, m, c))
	c.Key = other
	require.Equal(t, store.Claimed, verdict(t, m, c), "the nonce was still there")
	require.Equal(t, store.Claimed, verdict(t, m, c), "and is its owner's")
	thief := claim(keyOf("bob", "third"), store.NewOwner())
	thief.Nonce = c.Nonce
	require.Equal(t, store.NonceSpent, verdict(t, m, thief))
	assert.Equal(t, store.Record{}, record(t, m, thief.Key), "nothing was claimed")
}
