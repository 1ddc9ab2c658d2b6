package redistest_test

import (
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func open(t *testing.T, url string) *redis.Client {
	t.Helper()
	options, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(options)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestStart_GivesEachTestItsOwnServer(t *testing.T) {
	t.Parallel()
	one, other := open(t, redistest.Start(t)), open(t, redistest.Start(t))
	require.NoError(t, one.Set(t.Context(), "k", "v", 0).Err())
	assert.ErrorIs(t, other.Get(t.Context(), "k").Err(), redis.Nil)
}

func TestStart_EndsWithTheTest(t *testing.T) {
	t.Parallel()
	var client *redis.Client
	t.Run("with a server", func(t *testing.T) {
		url := redistest.Start(t)
		options, err := redis.ParseURL(url)
		require.NoError(t, err)
		options.MaxRetries, options.DialerRetries = -1, 1 // the server is gone when it is tried last
		client = redis.NewClient(options)
		require.NoError(t, client.Ping(t.Context()).Err())
	})
	if client == nil {
		t.Skip("redis-server is not installed")
	}
	defer client.Close()
	assert.Error(t, client.Ping(t.Context()).Err())
}

func TestStart_PassesArgumentsOn(t *testing.T) {
	t.Parallel()
	client := open(t, redistest.Start(t, "--maxmemory", "3mb"))
	got, err := client.ConfigGet(t.Context(), "maxmemory").Result()
	require.NoError(t, err)
	assert.Equal(t, "3145728", got["maxmemory"])
}
