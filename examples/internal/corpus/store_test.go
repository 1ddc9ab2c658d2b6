package corpus_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/redistest"
)

// A store is the Redis behind a server.
type store struct {
	url    string
	client *redis.Client
	seen   map[string]string // by key
}

// startStore starts a Redis, or skips the test if there is none.
func startStore(t *testing.T) *store {
	t.Helper()
	url := redistest.Start(t)
	options, err := redis.ParseURL(url)
	require.NoError(t, err)
	s := &store{url: url, client: redis.NewClient(options), seen: map[string]string{}}
	t.Cleanup(func() { assert.NoError(t, s.client.Close()) })
	return s
}

// changes returns the keys whose form was different before, masked, with the
// form of their values. If random is set, the keys of records are masked too.
func (s *store) changes(t *testing.T, m *masker, random bool) []string {
	t.Helper()
	ctx := patient(t)
	keys, err := s.client.Keys(ctx, "*").Result()
	require.NoError(t, err)
	slices.Sort(keys)
	var lines []string
	for _, key := range keys {
		if form := s.form(ctx, t, key); s.seen[key] != form {
			s.seen[key] = form
			lines = append(lines, key+" "+form)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.seen)) {
		if !slices.Contains(keys, key) {
			delete(s.seen, key)
			lines = append(lines, key+" gone")
		}
	}
	for i, line := range lines {
		if random {
			line = m.apply(randomRecord, line)
		}
		lines[i] = m.line(line)
	}
	slices.Sort(lines)
	return lines
}

// form describes the value of a key: its type and, for a hash, the fields. Of
// values that vary it has the length.
func (s *store) form(ctx context.Context, t *testing.T, key string) string {
	t.Helper()
	kind, err := s.client.Type(ctx, key).Result()
	require.NoError(t, err)
	expires, err := s.client.PTTL(ctx, key).Result()
	require.NoError(t, err)
	form := []string{kind}
	if expires < 0 {
		form = append(form, "without an end")
	}
	switch kind {
	case "hash":
		fields, err := s.client.HGetAll(ctx, key).Result()
		require.NoError(t, err)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			form = append(form, printable(name)+"="+valueForm(fields[name]))
		}
	case "string":
		value, err := s.client.Get(ctx, key).Result()
		require.NoError(t, err)
		form = append(form, valueForm(value))
	}
	return strings.Join(form, ", ")
}

// roundedBytes is the unit for lengths of long values. A stored question holds
// times, whose fractions differ in length.
const roundedBytes = 256

// valueForm returns a small number as it is, and the length of anything else.
func valueForm(value string) string {
	if n, err := strconv.Atoi(value); err == nil && n < 1000 {
		return value
	}
	if strings.Trim(value, "0123456789") == "" && value != "" {
		return fmt.Sprintf("(number of %d digits)", len(value))
	}
	if n := len(value); n >= 1000 {
		return fmt.Sprintf("(about %d bytes)", n/roundedBytes*roundedBytes)
	}
	return fmt.Sprintf("(%d bytes)", len(value))
}

// printable returns a name as it is, or in hexadecimal.
func printable(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" {
		return name
	}
	return hex.EncodeToString([]byte(name))
}
