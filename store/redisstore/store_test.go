package redisstore_test

import (
	"fmt"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func ExampleOpen() {
	s, err := redisstore.Open("redis://localhost:6379/0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	fmt.Println("belongs to this process alone:", s.IsLocal())
	// Output: belongs to this process alone: false
}

// A server that already has a client shares it with the store.
func ExampleNew() {
	client := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: []string{"redis-1.internal:6379", "redis-2.internal:6379"}, ContextTimeoutEnabled: true,
	})
	defer client.Close()
	s, err := redisstore.New(client)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("belongs to this process alone:", s.IsLocal())
	// Output: belongs to this process alone: false
}

func TestOpen_ErrorsHoldNoPartOfTheURL(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"no URL":             "",
		"another scheme":     "http://user:hunter2@host",
		"a control byte":     "redis://user:hunter2@host/\x7f",
		"a bad port":         "redis://user:hunter2@host:port",
		"a bad database":     "redis://host/hunter2",
		"a bad parameter":    "redis://host?hunter2=1",
		"a path too many":    "redis://host/1/hunter2",
		"a socket not named": "unix://user:hunter2@",
	} {
		s, err := redisstore.Open(url)
		require.Error(t, err, name)
		assert.Nil(t, s, name)
		assert.NotContains(t, err.Error(), "hunter2", name)
	}
}

func TestNew_RefusesInvalidOptions(t *testing.T) {
	t.Parallel()
	_, err := redisstore.New(nil)
	assert.Error(t, err, "no client")
	client := redis.NewClient(&redis.Options{})
	defer client.Close()
	_, err = redisstore.New(client, nil)
	assert.Error(t, err, "a nil option")
}

func TestClose(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, err := redisstore.Open(url)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "closing twice is no error")
	_, err = s.Get(t.Context(), keyOf("p", "k"))
	assert.ErrorIs(t, err, redis.ErrClosed)

	client := operator(t, url)
	shared, err := redisstore.New(client)
	require.NoError(t, err)
	require.NoError(t, shared.Close())
	assert.NoError(t, client.Ping(t.Context()).Err(), "the client is the caller's")
}

func BenchmarkStore(b *testing.B) {
	for name, bench := range map[string]func(b *testing.B, s *redisstore.Store, i int){
		"operation=run": func(b *testing.B, s *redisstore.Store, i int) {
			b.Helper()
			c := claim(keyOf(b.Name(), fmt.Sprint(i)), store.NewOwner())
			_, err := s.Claim(b.Context(), c)
			require.NoError(b, err)
			require.NoError(b, s.Complete(b.Context(), completion(c, "done")))
		},
		"operation=replay": func(b *testing.B, s *redisstore.Store, _ int) {
			b.Helper()
			a, err := s.Claim(b.Context(), claim(keyOf(b.Name(), "key"), store.NewOwner()))
			require.NoError(b, err)
			require.Equal(b, store.Finished, a.Status)
		},
	} {
		b.Run(name, func(b *testing.B) {
			s, sent := counted(b)
			c := claim(keyOf(b.Name(), "key"), store.NewOwner())
			_, err := s.Claim(b.Context(), c)
			require.NoError(b, err)
			require.NoError(b, s.Complete(b.Context(), completion(c, "done")))
			sent.n.Store(0)
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				bench(b, s, i)
			}
			b.ReportMetric(float64(sent.n.Load())/float64(i), "roundtrips/op")
		})
	}
}
