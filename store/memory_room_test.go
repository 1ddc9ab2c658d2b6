package store_test

import (
	"bytes"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// The bytes that an entry and a result count for, without those of the result.
const (
	entryBytes  = 560
	resultBytes = 280
)

func TestMemory_WithoutRoomRefusesNewEntriesAndForgetsNone(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]store.MemoryOption{
		"by entries": store.WithMaxEntries(4), "by bytes": store.WithMaxBytes(4*entryBytes + 399),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, now := newMemory(t, opt)
			running := claim(keyOf("anna", "running"), store.NewOwner())
			mustClaim(t, m, running)
			nonce := store.Nonce{Key: keyOf("anna", "nonce"), TTL: retention}
			_, err := m.Spend(t.Context(), nonce, running.Owner)
			require.NoError(t, err)
			unknown := claim(keyOf("bob", "unknown"), store.NewOwner())
			mustClaim(t, m, unknown)
			require.NoError(t, m.Complete(t.Context(), store.Completion{
				Key: unknown.Key, Owner: unknown.Owner, State: store.Unknown, Retention: 2 * retention,
			}))
			mustFinish(t, m, keyOf("carl", "finished"), []byte{})

			flood := claim(keyOf("emil", "new"), store.NewOwner())
			for range 100 {
				_, err := m.Claim(t.Context(), flood)
				require.ErrorIs(t, err, store.ErrFull)
				_, err = m.Spend(t.Context(), store.Nonce{Key: flood.Key, TTL: 1}, flood.Owner)
				require.ErrorIs(t, err, store.ErrFull)
			}
			other := store.NewOwner()
			assert.Equal(t, store.Running, verdict(t, m, claim(running.Key, other)))
			assert.Equal(t, store.Abandoned, verdict(t, m, claim(unknown.Key, other)))
			assert.Equal(t, store.Finished, verdict(t, m, claim(keyOf("carl", "finished"), other)))
			mine, err := m.Spend(t.Context(), nonce, other)
			require.NoError(t, err)
			assert.False(t, mine, "the nonce is still spent")

			// Changes of existing entries need no room.
			again := running
			again.Nonce = nonce
			assert.Equal(t, store.Claimed, verdict(t, m, again))
			require.NoError(t, m.Renew(t.Context(), running.Key, running.Owner, lease))
			require.NoError(t, m.Complete(t.Context(), completion(running, []byte{})))

			// A claim that needs two entries does not add only one.
			require.NoError(t, m.Resolve(t.Context(), unknown.Key, store.DidNotHappen))
			flood.Nonce = store.Nonce{Key: keyOf("emil", "fresh"), TTL: retention}
			_, err = m.Claim(t.Context(), flood)
			require.ErrorIs(t, err, store.ErrFull)
			assert.Equal(t, store.Record{}, record(t, m, flood.Key))
			spent := claim(keyOf("anna", "new"), store.NewOwner())
			spent.Nonce = nonce
			assert.Equal(t, store.NonceSpent, verdict(t, m, spent))

			now.Advance(retention)
			flood.Nonce = store.Nonce{Key: keyOf("emil", "fresh"), TTL: retention}
			mustClaim(t, m, flood)
		})
	}
}

func TestMemory_ResultOfAnUnknownOutcomeTakesRoomOnce(t *testing.T) {
	t.Parallel()
	const size = 1000
	m, _ := newMemory(t, store.WithMaxBytes(2*entryBytes+2*(resultBytes+size)))
	result := bytes.Repeat([]byte("r"), size)
	beside := keyOf("bob", "beside")
	mustFinish(t, m, beside, result)
	c := claim(keyOf("bob", "k"), store.NewOwner())
	mustClaim(t, m, c)
	for range 5 {
		for range 3 {
			require.NoError(t, m.Complete(t.Context(), store.Completion{
				Key: c.Key, Owner: c.Owner, State: store.Unknown, Retention: retention, Result: result,
			}))
		}
		next := claim(c.Key, store.NewOwner())
		next.Replaces = c.Owner
		mustClaim(t, m, next)
		assert.Nil(t, record(t, m, c.Key).Result)
		c = next
	}
	require.NoError(t, m.Complete(t.Context(), completion(c, result)))
	for _, key := range []store.Key{beside, c.Key} {
		assert.Equal(t, result, record(t, m, key).Result)
	}
	mustFinish(t, m, keyOf("bob", "third"), nil)
	assert.Nil(t, record(t, m, beside).Result, "there is no more room")
}

func TestThreat133_APrincipalDoesNotFillTheMemoryForOthers(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]store.MemoryOption{
		"by entries": store.WithMaxEntries(120), "by bytes": store.WithMaxBytes(120 * entryBytes),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, now := newMemory(t, opt)
			// fill makes records and nonces until the store refuses one.
			fill := func(principal string) (entries int) {
				for {
					key, owner := keyOf(principal, strconv.Itoa(entries)), store.NewOwner()
					var err error
					if entries%2 == 0 {
						_, err = m.Claim(t.Context(), claim(key, owner))
					} else {
						_, err = m.Spend(t.Context(), store.Nonce{Key: key, TTL: retention}, owner)
					}
					if err != nil {
						require.ErrorIs(t, err, store.ErrFull)
						return entries
					}
					entries++
				}
			}
			assert.Equal(t, 60, fill("anna"))
			assert.Equal(t, 30, fill("bob"))
			mustFinish(t, m, keyOf("carl", "1"), []byte("done"))
			now.Advance(retention)
			assert.Equal(t, 60, fill("bob"), "expired entries make room")
		})
	}
}

func TestMemory_DropsTheResultsOfTheLargestPartitionFirst(t *testing.T) {
	t.Parallel()
	const size = 1000
	names := []string{"anna/1", "bob/1", "anna/2", "bob/2"} // oldest first
	keys := map[string]store.Key{}
	kept := func(m *store.Memory) []string {
		var there []string
		for _, name := range names {
			r := record(t, m, keys[name])
			require.Equal(t, store.Completed, r.State, "the record itself is never dropped")
			if r.Result != nil {
				there = append(there, name)
			}
		}
		return there
	}
	m, now := newMemory(t, store.WithMaxBytes(4*(entryBytes+resultBytes+size)))
	for _, name := range names {
		principal, _, _ := bytes.Cut([]byte(name), []byte("/"))
		keys[name] = keyOf(string(principal), name)
		mustFinish(t, m, keys[name], make([]byte, size))
		now.Advance(tick)
	}
	require.Equal(t, names, kept(m))

	mustClaim(t, m, claim(keyOf("bob", "new"), store.NewOwner()))
	assert.Equal(t, []string{"anna/1", "anna/2", "bob/2"}, kept(m), "equal partitions: the oldest of its own")
	for i := range 3 { // the first result left room for two more
		mustClaim(t, m, claim(keyOf("bob", strconv.Itoa(i)), store.NewOwner()))
	}
	assert.Equal(t, []string{"anna/2", "bob/2"}, kept(m), "the oldest of the largest partition")
	now.Advance(retention - 4*tick)
	assert.Equal(t, store.Record{}, record(t, m, keys["anna/1"]))
	assert.NotNil(t, record(t, m, keys["anna/2"]).Result)
}

// The new result counts for its partition: the one that makes a partition the
// largest removes a result of that partition.
func TestMemory_TheNewResultCountsForItsPartition(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t, store.WithMaxBytes(3*entryBytes+3*resultBytes+1800))
	annas, bobs, next := keyOf("anna", "1"), keyOf("bob", "1"), keyOf("bob", "2")
	mustFinish(t, m, annas, make([]byte, 1000))
	mustFinish(t, m, bobs, make([]byte, 500))
	mustFinish(t, m, next, make([]byte, 600))
	assert.NotNil(t, record(t, m, annas).Result)
	assert.Nil(t, record(t, m, bobs).Result)
	assert.NotNil(t, record(t, m, next).Result)
}

func TestMemory_RemovesTheOldestResultAfterOthersExpired(t *testing.T) {
	t.Parallel()
	type step struct{ name, kept string }
	for name, tc := range map[string]struct {
		retentions []time.Duration
		steps      []step
	}{
		"one between two others, and the newest": {
			[]time.Duration{retention, lease, retention, lease},
			[]step{{"4", "024"}, {"5", "0245"}, {"6", "2456"}, {"7", "4567"}, {"8", "5678"}},
		},
		"two between others, one after the other": {
			[]time.Duration{retention, lease, 2 * lease, retention},
			[]step{{"4", "034"}, {"5", "0345"}, {"6", "3456"}, {"7", "4567"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const size = 10_000
			m, now := newMemory(t, store.WithMaxBytes(9*entryBytes+4*(resultBytes+size)))
			finish := func(name string, kept time.Duration) {
				c := claim(keyOf("bob", name), store.NewOwner())
				mustClaim(t, m, c)
				done := completion(c, make([]byte, size))
				done.Retention = kept
				require.NoError(t, m.Complete(t.Context(), done))
			}
			for i, kept := range tc.retentions {
				finish(strconv.Itoa(i), kept)
			}
			now.Advance(2 * lease)
			for _, s := range tc.steps {
				finish(s.name, retention)
				kept := ""
				for i := range 9 {
					if record(t, m, keyOf("bob", strconv.Itoa(i))).Result != nil {
						kept += strconv.Itoa(i)
					}
				}
				assert.Equal(t, s.kept, kept)
			}
		})
	}
}

// Questions to a person and their decisions are results too, and both must stay
// until the call is repeated.
func TestThreat133_APrincipalDoesNotCrowdOutTheResultsOfOthers(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t, store.WithMaxBytes(100_000))
	fill := func(name string) {
		for i := range 40 {
			c := claim(keyOf("mallory", name+strconv.Itoa(i)), store.NewOwner())
			if a, err := m.Claim(t.Context(), c); err == nil && a.Status == store.Claimed {
				require.NoError(t, m.Complete(t.Context(), completion(c, make([]byte, 10_000))))
			}
		}
	}
	fill("before")
	kept := []string{"question", "decision"}
	for _, name := range kept {
		mustFinish(t, m, keyOf("bob", name), make([]byte, 3000))
	}
	mustClaim(t, m, claim(keyOf("bob", "call"), store.NewOwner()))
	fill("after")
	for _, name := range kept {
		assert.NotNil(t, record(t, m, keyOf("bob", name)).Result, name)
	}
}

func TestMemory_RemovesExpiredEntriesBeforeResults(t *testing.T) {
	t.Parallel()
	const entries = 40 // more than one operation removes
	m, now := newMemory(t, store.WithMaxBytes(entries*entryBytes+2*(resultBytes+1000)))
	for i := range entries - 2 {
		c := claim(keyOf(strconv.Itoa(i), "new"), store.NewOwner())
		c.Retention = lease
		mustClaim(t, m, c)
	}
	mustFinish(t, m, keyOf("bob", "kept"), make([]byte, 1000))
	now.Advance(lease)
	mustFinish(t, m, keyOf("bob", "large"), make([]byte, 1000+(entries-2)*entryBytes))
	assert.NotNil(t, record(t, m, keyOf("bob", "kept")).Result)
	assert.NotNil(t, record(t, m, keyOf("bob", "large")).Result)
}

func TestMemory_KeepsTheRecordOfAResultThatDoesNotFit(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t, store.WithMaxBytes(10_000))
	mustFinish(t, m, keyOf("bob", "small"), []byte("small"))
	c := claim(keyOf("bob", "large"), store.NewOwner())
	mustClaim(t, m, c)
	require.NoError(t, m.Complete(t.Context(), completion(c, make([]byte, 10_000-2*entryBytes-resultBytes+1))))
	a, err := m.Claim(t.Context(), claim(c.Key, store.NewOwner()))
	require.NoError(t, err)
	assert.Equal(t, store.ClaimResult{Status: store.Finished, State: store.Completed}, a)
	assert.Equal(t, []byte("small"), record(t, m, keyOf("bob", "small")).Result,
		"no result is dropped for one that does not fit anyway")

	exact := claim(keyOf("carl", "exact"), store.NewOwner())
	mustClaim(t, m, exact)
	require.NoError(t, m.Complete(t.Context(), completion(exact, make([]byte, 10_000-3*entryBytes-resultBytes))))
	assert.NotNil(t, record(t, m, exact.Key).Result)
	assert.Nil(t, record(t, m, keyOf("bob", "small")).Result)
}

func TestMemory_ForgetsTheCountsNearestToTheirEnd(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]store.MemoryOption{
		"by entries": store.WithMaxEntries(3), "by bytes": store.WithMaxBytes(3*800 + 799),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newMemory(t, opt)
			highest := func(key string) int64 {
				found, err := m.Max(t.Context(), keyOf("bob", key))
				require.NoError(t, err)
				return found.Highest
			}
			for i, key := range []string{"c", "a", "b"} {
				for range 5 {
					_, err := m.Add(t.Context(), keyOf("bob", key), "kind", []time.Duration{3 * lease, lease, 2 * lease}[i])
					require.NoError(t, err)
				}
			}
			n, err := m.Add(t.Context(), keyOf("bob", "d"), "kind", 9*lease)
			require.NoError(t, err)
			assert.EqualValues(t, 1, n)
			assert.Equal(t, []int64{0, 5, 5, 1}, []int64{highest("a"), highest("b"), highest("c"), highest("d")})
			_, err = m.Add(t.Context(), keyOf("bob", "d"), "another kind", 9*lease)
			require.NoError(t, err)
			assert.Equal(t, []int64{0, 5, 1}, []int64{highest("b"), highest("c"), highest("d")}, "each kind takes room")
			require.NoError(t, m.Reset(t.Context(), keyOf("bob", "d")))
			assert.Equal(t, []int64{5, 0}, []int64{highest("c"), highest("d")})

			for _, key := range []string{"x", "y"} {
				_, err := m.Add(t.Context(), keyOf("bob", key), "kind", 9*lease)
				require.NoError(t, err)
			}
			assert.EqualValues(t, 5, highest("c"), "Reset freed the room of both kinds")

			for i := range 1000 {
				_, err := m.Add(t.Context(), keyOf("bob", "flood"), strconv.Itoa(i), retention)
				require.NoError(t, err)
			}
			mustFinish(t, m, keyOf("anna", "1"), []byte{})
			mustFinish(t, m, keyOf("bob", "2"), []byte{})
			mustFinish(t, m, keyOf("carl", "3"), []byte{})
			n, err = m.Add(t.Context(), keyOf("bob", "after"), "kind", retention)
			require.NoError(t, err)
			assert.EqualValues(t, 1, n, "claims take no room from counts, and counts none from claims")
		})
	}
}

// One operation removes only a few expired entries. The rest do not exist for
// it either.
func TestMemory_ExpiredEntriesDoNotExist(t *testing.T) {
	t.Parallel()
	m, now := newMemory(t)
	const entries = 100
	nonce := func(i int) store.Nonce {
		return store.Nonce{Key: keyOf("bob", "nonce "+strconv.Itoa(i)), TTL: retention}
	}
	for i := range entries {
		mustFinish(t, m, keyOf("bob", strconv.Itoa(i)), nil)
		_, err := m.Spend(t.Context(), nonce(i), store.NewOwner())
		require.NoError(t, err)
		_, err = m.Add(t.Context(), keyOf("bob", strconv.Itoa(i)), "kind", retention)
		require.NoError(t, err)
	}
	now.Advance(retention)
	found, err := m.Max(t.Context(), keyOf("bob", strconv.Itoa(entries-1)))
	require.NoError(t, err)
	assert.Zero(t, found)
	first, err := m.Spend(t.Context(), nonce(entries-1), store.NewOwner())
	require.NoError(t, err)
	assert.True(t, first)
	assert.Equal(t, store.Record{}, record(t, m, keyOf("bob", strconv.Itoa(entries-1))))
}
