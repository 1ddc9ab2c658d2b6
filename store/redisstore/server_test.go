package redisstore_test

import (
	"context"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func TestClaim_OneOfManyProcessesGetsTheRecord(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	key := keyOf(t.Name(), "key")
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		s := open(t, url)
		for range 8 {
			wg.Go(func() {
				a, err := s.Claim(t.Context(), claim(key, store.NewOwner()))
				assert.NoError(t, err)
				if a.Status == store.Claimed {
					claimed.Add(1)
				}
			})
		}
	}
	wg.Wait()
	assert.EqualValues(t, 1, claimed.Load())
}

func TestScripts_AreSentAgainIfTheServerForgotThem(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	for range 2 {
		require.NoError(t, admin.ScriptFlush(t.Context()).Err())
		everyOperation(t, s, newClaim(t))
	}
}

func TestServer_ThatLostItsDataForgetsTheOwner(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	c := newClaim(t)
	_, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, admin.FlushAll(t.Context()).Err())
	assert.ErrorIs(t, s.Complete(t.Context(), completion(c, "late")), store.ErrLost)
	a, err := s.Claim(t.Context(), claim(c.Key, store.NewOwner()))
	require.NoError(t, err)
	assert.Equal(t, store.Claimed, a.Status)
}

// freePort returns an unused port, one of the 6,000 from the given number on.
// Systems assign ephemeral ports only above 32,000, so nothing else takes it
// before Redis does.
func freePort(t *testing.T, from int) string {
	t.Helper()
	for {
		port := strconv.Itoa(from + rand.IntN(6_000))
		if listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			require.NoError(t, listener.Close())
			return port
		}
	}
}

func TestCluster_HasAllKeysOfAScriptInOneSlot(t *testing.T) {
	t.Parallel()
	port, busPort := freePort(t, 20_000), freePort(t, 26_000)
	addr := net.JoinHostPort("127.0.0.1", port)
	admin := operator(t, redistest.Start(t, "--cluster-enabled", "yes", "--port", port, "--cluster-port", busPort))
	require.NoError(t, admin.Do(t.Context(), "cluster", "addslotsrange", 0, 16383).Err())
	require.Eventually(t, func() bool {
		info, err := admin.ClusterInfo(t.Context()).Result()
		return err == nil && strings.Contains(info, "cluster_state:ok")
	}, time.Minute, 20*time.Millisecond)

	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{addr}, ContextTimeoutEnabled: true})
	t.Cleanup(func() { _ = client.Close() })
	s, err := redisstore.New(client)
	require.NoError(t, err)
	for i := range 20 {
		c := claim(keyOf("principal "+strconv.Itoa(i), "key"), store.NewOwner())
		c.Nonce = store.Nonce{Key: keyOf("principal "+strconv.Itoa(i), "nonce"), TTL: lease}
		c.Budget = store.Budget{Key: keyOf("principal "+strconv.Itoa(i), "counts"), Limit: 1}
		everyOperation(t, s, c)
		_, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		done := completion(c, "done")
		done.Forget = c.Budget.Key
		require.NoError(t, s.Complete(t.Context(), done))
	}
	warnings, err := s.Check(t.Context())
	require.NoError(t, err)
	assert.Empty(t, warnings)
}

func TestKeys_DiscloseNothing(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	c := claim(keyOf("alice@example.com", "order 7"), store.NewOwner())
	c.Nonce = store.Nonce{Key: keyOf("alice@example.com", "nonce"), TTL: lease}
	_, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	_, err = s.Add(t.Context(), c.Key, "refund", lease)
	require.NoError(t, err)
	keys, err := admin.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	begin := "toolcontract:{" + c.Key.Partition.String() + "}:"
	assert.ElementsMatch(t, []string{
		begin + "record:" + c.Key.ID.String(), begin + "nonce:" + c.Nonce.Key.ID.String(), begin + "count:" + c.Key.ID.String(),
		begin + "index",
	}, keys)
	fields, err := admin.HGetAll(t.Context(), begin+"count:"+c.Key.ID.String()).Result()
	require.NoError(t, err)
	assert.NotContains(t, fields, "refund")
}

func TestRedis_RemovesKeysOnlyAfterTheirEnd(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	ctx := t.Context()
	left := func(least time.Duration) {
		t.Helper()
		keys, err := admin.Keys(ctx, "*").Result()
		require.NoError(t, err)
		require.NotEmpty(t, keys)
		for _, key := range keys {
			ttl, err := admin.PTTL(ctx, key).Result()
			require.NoError(t, err)
			assert.Greater(t, ttl, least, "a key is there until it is over")
			assert.LessOrEqual(t, ttl, least+time.Minute+time.Millisecond, "and not much longer")
		}
	}
	c := newClaim(t)
	c.Nonce = store.Nonce{Key: keyOf(t.Name(), "nonce"), TTL: c.Retention}
	_, err := s.Claim(ctx, c)
	require.NoError(t, err)
	_, err = s.Add(ctx, c.Key, "kind", c.Retention)
	require.NoError(t, err)
	left(c.Retention)
	require.NoError(t, s.Mark(ctx, c.Key, c.Owner))
	left(c.Retention)
	require.NoError(t, admin.FlushAll(ctx).Err())
	_, err = s.Claim(ctx, c)
	require.NoError(t, err)
	require.NoError(t, admin.Del(ctx, "toolcontract:{"+c.Key.Partition.String()+"}:nonce:"+c.Nonce.Key.ID.String()).Err())
	require.NoError(t, s.Renew(ctx, c.Key, c.Owner, 3*c.Retention))
	left(3 * c.Retention)
	done := completion(c, "done")
	done.Retention = 2 * c.Retention
	require.NoError(t, s.Complete(ctx, done))
	left(2 * c.Retention)
}

func TestServer_WithoutMemory(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	ctx := t.Context()
	held, other := newClaim(t), claim(keyOf(t.Name(), "other"), store.NewOwner())
	for _, c := range []store.Claim{held, other} {
		_, err := s.Claim(ctx, c)
		require.NoError(t, err)
	}
	_, err := s.Add(ctx, held.Key, "kind", lease)
	require.NoError(t, err)
	require.NoError(t, admin.ConfigSet(ctx, "maxmemory", "1").Err())

	fresh := claim(keyOf(t.Name(), "fresh"), store.NewOwner())
	nonce := store.Nonce{Key: keyOf(t.Name(), "nonce"), TTL: lease}
	_, err = s.Claim(ctx, fresh)
	assert.ErrorIs(t, err, store.ErrFull)
	withNonce := held
	withNonce.Nonce = nonce
	_, err = s.Claim(ctx, withNonce)
	assert.ErrorIs(t, err, store.ErrFull)
	_, err = s.Spend(ctx, nonce, held.Owner)
	assert.ErrorIs(t, err, store.ErrFull)
	_, err = s.Add(ctx, fresh.Key, "kind", lease)
	assert.ErrorIs(t, err, store.ErrFull, "a new window")
	_, err = s.Add(ctx, held.Key, "another kind", lease)
	assert.ErrorIs(t, err, store.ErrFull, "a new kind")

	n, err := s.Add(ctx, held.Key, "kind", lease)
	require.NoError(t, err)
	assert.EqualValues(t, 2, n, "existing counts can still grow")
	a, err := s.Claim(ctx, held)
	require.NoError(t, err)
	assert.Equal(t, store.Claimed, a.Status, "a repetition is nothing new")
	require.NoError(t, s.Mark(ctx, held.Key, held.Owner))
	require.NoError(t, s.Renew(ctx, held.Key, held.Owner, 2*lease))
	used := claim(keyOf(t.Name(), "used up"), store.NewOwner())
	used.Budget = store.Budget{Key: held.Key, Limit: 2}
	a, err = s.Claim(ctx, used)
	require.NoError(t, err)
	assert.Equal(t, store.Exhausted, a.Status, "nothing is written for what is used up")
	done := completion(held, "no room for it")
	done.Forget = held.Key
	require.NoError(t, s.Complete(ctx, done))
	found, err := s.Max(ctx, held.Key)
	require.NoError(t, err)
	assert.Zero(t, found, "to forget needs no room")
	r, err := s.Get(ctx, held.Key)
	require.NoError(t, err)
	assert.Equal(t, store.Completed, r.State, "that it was done is kept")
	assert.Nil(t, r.Result, "its result is not")
	require.NoError(t, s.Release(ctx, store.Release{Key: other.Key, Owner: other.Owner}))
}

func TestDurations_TheLongestDoNotOverflow(t *testing.T) {
	t.Parallel()
	s := open(t, redistest.Start(t))
	c := newClaim(t)
	c.Lease, c.Retention = 1<<63-1, 1<<63-1
	_, err := s.Claim(t.Context(), c)
	require.NoError(t, err)
	r, err := s.Get(t.Context(), c.Key)
	require.NoError(t, err)
	assert.Greater(t, r.ExpiresIn, 99*365*24*time.Hour)
	assert.Greater(t, r.LeaseLeft, 99*365*24*time.Hour)
}

func TestServer_ThatIsGone(t *testing.T) {
	t.Parallel()
	s := open(t, "redis://:hunter2@127.0.0.1:1")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := s.Claim(ctx, newClaim(t))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	assert.Error(t, s.Mark(ctx, keyOf("p", "k"), store.NewOwner()))
	_, err = s.Check(ctx)
	assert.Error(t, err)
}
