package redisstore_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/redisstore"
)

// logLines holds the first lines of a log.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

func TestWithLogger_RefusesNil(t *testing.T) {
	t.Parallel()
	_, err := redisstore.Open("redis://localhost", redisstore.WithLogger(nil))
	require.Error(t, err)
}

func TestWithLogger_GetsTheLinesOfTheDriver(t *testing.T) { //nolint:paralleltest // go-redis has one logger for a process
	client := redis.NewClient(&redis.Options{
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no route") },
	})
	t.Cleanup(func() { assert.NoError(t, client.Close()) })
	log := make(logLines, 16)
	s, err := redisstore.New(client, redisstore.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
	require.NoError(t, err)
	_, err = s.Check(t.Context())
	require.Error(t, err)
	line := <-log
	assert.Contains(t, line, "level=WARN")
	assert.Contains(t, line, "no route")
	assert.Equal(t, 1, strings.Count(line, "redis: "), line)
}
