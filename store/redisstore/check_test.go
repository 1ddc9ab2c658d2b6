package redisstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
)

func TestCheck_WarnsOfEviction(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	warnings, err := s.Check(t.Context())
	require.NoError(t, err)
	assert.Empty(t, warnings, "noeviction is the default of Redis")
	require.NoError(t, admin.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
	warnings, err = s.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "allkeys-lru")
	assert.Contains(t, warnings[0], "noeviction")
}

func TestCheck_WithFewPermissions(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	admin := operator(t, url)
	commands := []any{
		"+evalsha", "+eval", "+time", "+hmget", "+hget", "+hset", "+hdel", "+hexists", "+hincrby", "+pexpire", "+del",
		"+hstrlen", "+hlen", "+zcount", "+zadd", "+zincrby", "+zscore", "+zrange", "+zrangebyscore", "+zrem", "+zremrangebyscore",
		"+ping", "+hello", "+client",
	}
	user := func(name string, rules ...any) string {
		t.Helper()
		args := append([]any{"acl", "setuser", name, "on", ">hunter2"}, rules...)
		require.NoError(t, admin.Do(t.Context(), args...).Err())
		return "unix://" + name + ":hunter2@" + url[len("unix://"):]
	}
	s := open(t, user("app", append(commands, "~toolcontract:*")...))
	everyOperation(t, s, newClaim(t))
	warnings, err := s.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, warnings, 1, "INFO is not allowed")
	assert.Contains(t, warnings[0], "noeviction")

	foreign := open(t, user("foreign", append(commands, "~foreign:*")...))
	_, err = foreign.Check(t.Context())
	assert.EqualError(t, err, "redisstore: the server answered NOPERM")

	unscripted := open(t, user("unscripted", "+ping", "+info", "+hello", "+client", "~*"))
	_, err = unscripted.Check(t.Context())
	assert.EqualError(t, err, "redisstore: the server answered NOPERM")

	stranger := open(t, "unix://app:wrong@"+url[len("unix://"):])
	_, err = stranger.Check(t.Context())
	assert.EqualError(t, err, "redisstore: the server answered WRONGPASS")
}

func TestErrors_HoldOnlyTheFirstWord(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	s, admin := open(t, url), operator(t, url)
	c := newClaim(t)
	require.NoError(t, admin.Set(t.Context(), "toolcontract:{"+c.Key.Partition.String()+"}:record:"+c.Key.ID.String(),
		"foreign", 0).Err())
	_, err := s.Claim(t.Context(), c)
	assert.EqualError(t, err, "redisstore: the server answered WRONGTYPE")
}
