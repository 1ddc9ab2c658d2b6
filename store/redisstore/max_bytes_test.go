package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func ExampleWithMaxBytes() {
	_, err := redisstore.Open("redis://localhost", redisstore.WithMaxBytes(1000))
	fmt.Println(err)
	// Output: redisstore: WithMaxBytes: the number is less than 1200; pass more
}

// finish makes a completed record with a result of the given size.
func finish(t *testing.T, s *redisstore.Store, key store.Key, size int) store.Claim {
	t.Helper()
	c := claim(key, store.NewOwner())
	a, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, store.Claimed, a.Status)
	require.NoError(t, s.Complete(t.Context(), completion(c, strings.Repeat("r", size))))
	return c
}

// replayed returns the result of a repeated call.
func replayed(t *testing.T, s *redisstore.Store, key store.Key) []byte {
	t.Helper()
	a, err := s.Claim(t.Context(), claim(key, store.NewOwner()))
	require.NoError(t, err)
	require.Equal(t, store.Finished, a.Status, "the call does not run again")
	return a.Result
}

func TestThreat160_APrincipalDoesNotFillTheRedisOfOthers(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t, "--maxmemory", "64mb")
	s := open(t, url)
	mallory := func(i int) store.Key { return keyOf("mallory", strconv.Itoa(i)) }
	const calls, size = 481, 200 << 10
	for i := range calls {
		finish(t, s, mallory(i), size)
	}
	annas := keyOf("anna", "call")
	finish(t, s, annas, size)
	assert.Len(t, replayed(t, s, annas), size)
	for i := range calls {
		result := replayed(t, s, mallory(i))
		if i < calls/2 || i >= calls-100 {
			assert.Equal(t, i >= calls-100, result != nil, "the oldest results are dropped, and no others")
		}
	}
	memory, err := operator(t, url).Info(context.WithoutCancel(t.Context()), "memory").Result()
	require.NoError(t, err)
	assert.Less(t, usedMemory(t, memory), 48<<20)
}

func TestThreat160_CountsHaveABoundToo(t *testing.T) {
	t.Parallel()
	s := open(t, redistest.Start(t), redisstore.WithMaxEntries(3))
	now := time.Now()
	s.Freeze(now)
	ctx := t.Context()
	add := func(key, kind string) error {
		_, err := s.Add(ctx, keyOf("anna", key), kind, lease)
		return err
	}
	require.NoError(t, add("first", "one"))
	require.NoError(t, add("first", "another"))
	require.NoError(t, add("second", "one"))
	for _, key := range []string{"first", "third"} {
		full, ok := errors.AsType[*store.FullError](add(key, "third"))
		require.True(t, ok)
		assert.Equal(t, lease, full.RetryAfter)
	}
	_, err := s.Claim(ctx, claim(keyOf("anna", "call"), store.NewOwner()))
	require.ErrorIs(t, err, store.ErrFull)
	require.NoError(t, add("first", "another"), "a kind that is counted already")
	require.NoError(t, s.Reset(ctx, keyOf("anna", "first")))
	require.NoError(t, add("third", "one"))
	c := claim(keyOf("anna", "call"), store.NewOwner())
	_, err = s.Claim(ctx, c)
	require.NoError(t, err, "the reset freed the room of two kinds")
	done := completion(c, "done")
	done.Forget = keyOf("anna", "second")
	require.NoError(t, s.Complete(ctx, done))
	require.NoError(t, add("third", "another"), "and the completion that of one")
	require.ErrorIs(t, add("third", "third"), store.ErrFull)
	s.Freeze(now.Add(lease))
	require.NoError(t, add("first", "one"))
	require.NoError(t, add("third", "one"))
	require.ErrorIs(t, add("third", "another"), store.ErrFull)
}

func usedMemory(t *testing.T, info string) int {
	t.Helper()
	_, rest, found := strings.Cut(info, "\nused_memory:")
	require.True(t, found)
	n, err := strconv.Atoi(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]))
	require.NoError(t, err)
	return n
}

// Redis removes what its operator's policy evicts, and what expired. The bytes
// of such results leave the sum when their records end.
func TestBytes_AreTrueAgainWhenEntriesAreGone(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	const size = 1000
	s, admin := open(t, url, redisstore.WithMaxBytes(5*(size+1250))), operator(t, url)
	now := time.Now()
	s.Freeze(now)
	name := func(key store.Key) string {
		return "toolcontract:{" + key.Partition.String() + "}:record:" + key.ID.String()
	}
	kept := func(keys ...store.Key) (n int) {
		for _, key := range keys {
			if replayed(t, s, key) != nil {
				n++
			}
		}
		return n
	}
	var gone []store.Key
	for i := range 4 {
		key := keyOf("anna", strconv.Itoa(i))
		finish(t, s, key, size)
		require.NoError(t, admin.Del(t.Context(), name(key)).Err())
		gone = append(gone, key)
	}
	s.Freeze(now.Add(retention))
	var later []store.Key
	for i := range 5 {
		key := keyOf("anna", "later "+strconv.Itoa(i))
		finish(t, s, key, size)
		later = append(later, key)
	}
	assert.Equal(t, 5, kept(later...), "their end freed the room")

	s.Freeze(now.Add(2 * retention))
	for _, key := range later {
		finish(t, s, key, size)
	}
	assert.Equal(t, 5, kept(later...), "a record that ended gives its room to the next one of its key")
	require.NoError(t, admin.Del(t.Context(), strings.Replace(name(gone[0]), "record:"+gone[0].ID.String(), "index", 1)).Err())
	for _, key := range gone {
		finish(t, s, key, size)
	}
	assert.Equal(t, 4, kept(gone...), "without the index everything that it counted is forgotten")
}
