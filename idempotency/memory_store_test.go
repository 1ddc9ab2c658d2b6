package idempotency_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/idempotency"
)

func TestWhoNoLongerHoldsTheRecordChangesNothing(t *testing.T) {
	t.Parallel()
	key := keyOf("bob", "k")
	for name, succeed := range map[string]func(*testing.T, *idempotency.Memory, *clock){
		"never claimed": func(*testing.T, *idempotency.Memory, *clock) {},
		"taken over": func(t *testing.T, m *idempotency.Memory, now *clock) {
			now.Advance(lease)
			c := claim(key, idempotency.NewOwner())
			c.Rerun = true
			mustClaim(t, m, c)
		},
		"taken over and finished": func(t *testing.T, m *idempotency.Memory, now *clock) {
			now.Advance(lease)
			c := claim(key, idempotency.NewOwner())
			c.Rerun = true
			mustClaim(t, m, c)
			require.NoError(t, m.Complete(t.Context(), completion(c, []byte("the successor's"))))
		},
		"resolved as happened": func(t *testing.T, m *idempotency.Memory, now *clock) {
			now.Advance(lease)
			require.NoError(t, m.Resolve(t.Context(), key, idempotency.Happened))
		},
		"resolved as not": func(t *testing.T, m *idempotency.Memory, now *clock) {
			now.Advance(lease)
			require.NoError(t, m.Resolve(t.Context(), key, idempotency.DidNotHappen))
		},
		"expired": func(_ *testing.T, _ *idempotency.Memory, now *clock) { now.Advance(retention) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, now := newMemory(t)
			c := claim(key, idempotency.NewOwner())
			if name != "never claimed" {
				mustClaim(t, m, c)
			}
			succeed(t, m, now)
			before := record(t, m, key)
			assert.ErrorIs(t, m.Mark(t.Context(), key, c.Owner), idempotency.ErrLost)
			assert.ErrorIs(t, m.Renew(t.Context(), key, c.Owner, lease), idempotency.ErrLost)
			assert.ErrorIs(t, m.Complete(t.Context(), completion(c, []byte("late"))), idempotency.ErrLost)
			assert.ErrorIs(t, m.Release(t.Context(), key, c.Owner), idempotency.ErrLost)
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
		c := claim(key, idempotency.NewOwner())
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
		c := claim(key, idempotency.NewOwner())
		mustClaim(t, m, c)
		unknown := completion(c, nil)
		unknown.State = idempotency.Unknown
		require.NoError(t, m.Complete(t.Context(), unknown))
		assert.ErrorIs(t, m.Mark(t.Context(), key, c.Owner), idempotency.ErrLost)
		assert.ErrorIs(t, m.Renew(t.Context(), key, c.Owner, lease), idempotency.ErrLost)
		require.NoError(t, m.Release(t.Context(), key, c.Owner))
		mustClaim(t, m, c)
		require.NoError(t, m.Complete(t.Context(), unknown))
		require.NoError(t, m.Complete(t.Context(), completion(c, []byte("r"))))
		assert.Equal(t, idempotency.Completed, record(t, m, key).State)
	})
	t.Run("not change what is finished", func(t *testing.T) {
		t.Parallel()
		m, _ := newMemory(t)
		c := claim(key, idempotency.NewOwner())
		mustClaim(t, m, c)
		require.NoError(t, m.Complete(t.Context(), completion(c, []byte("first"))))
		before := record(t, m, key)
		again := completion(c, []byte("second"))
		for _, again.State = range []idempotency.State{idempotency.Completed, idempotency.Failed} {
			for _, again.Retention = range []time.Duration{0, -1, 2 * retention} {
				require.NoError(t, m.Complete(t.Context(), again))
			}
		}
		assert.ErrorIs(t, m.Release(t.Context(), key, c.Owner), idempotency.ErrLost)
		assert.Equal(t, before, record(t, m, key))
	})
	t.Run("repeat its claim, which renews the lease and forgets no start", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		c := claim(key, idempotency.NewOwner())
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
	c := claim(key, idempotency.NewOwner())
	assert.ErrorIs(t, m.Resolve(t.Context(), key, idempotency.Happened), idempotency.ErrNotFound)
	mustClaim(t, m, c)
	now.Advance(lease - tick)
	assert.ErrorIs(t, m.Resolve(t.Context(), key, idempotency.DidNotHappen), idempotency.ErrNotUnknown)
	now.Advance(tick)
	require.NoError(t, m.Resolve(t.Context(), key, idempotency.Happened))
	assert.Equal(t, idempotency.Record{
		State: idempotency.Completed, Started: true, Fingerprint: c.Fingerprint, ExpiresIn: retention - lease,
	}, record(t, m, key))
	assert.ErrorIs(t, m.Resolve(t.Context(), key, idempotency.DidNotHappen), idempotency.ErrNotUnknown)
}

func TestANonceIsSpentOnlyWhereTheRecordIsClaimed(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	key, other := keyOf("bob", "k"), keyOf("bob", "other")
	mustFinish(t, m, key, nil)
	c := claim(key, idempotency.NewOwner())
	c.Nonce = idempotency.Nonce{Key: keyOf("bob", "n"), TTL: retention}
	require.Equal(t, idempotency.Finished, verdict(t, m, c))
	c.Key = other
	require.Equal(t, idempotency.Claimed, verdict(t, m, c), "the nonce was still there")
	require.Equal(t, idempotency.Claimed, verdict(t, m, c), "and is its owner's")
	thief := claim(keyOf("bob", "third"), idempotency.NewOwner())
	thief.Nonce = c.Nonce
	require.Equal(t, idempotency.NonceSpent, verdict(t, m, thief))
	assert.Equal(t, idempotency.Record{}, record(t, m, thief.Key), "nothing was claimed")
}
