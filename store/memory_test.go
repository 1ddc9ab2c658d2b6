package store_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

func TestNewMemory_NamesTheWrongOption(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opt  store.MemoryOption
		text string
	}{
		"nil":              {nil, "store: NewMemory: an option is nil"},
		"no entries":       {store.WithMaxEntries(0), "store: WithMaxEntries: the number is less than two"},
		"negative entries": {store.WithMaxEntries(-1), "store: WithMaxEntries: the number is less than two"},
		"a single entry":   {store.WithMaxEntries(1), "store: WithMaxEntries: the number is less than two"},
		"no bytes":         {store.WithMaxBytes(0), "store: WithMaxBytes: the number is less than 1120"},
		"negative bytes":   {store.WithMaxBytes(math.MinInt64), "store: WithMaxBytes: the number is less than 1120"},
		"bytes for one":    {store.WithMaxBytes(959), "store: WithMaxBytes: the number is less than 1120"},
		"a nil clock":      {store.WithClock(nil), "store: WithClock: the function is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := store.NewMemory(tc.opt)
			assert.EqualError(t, err, tc.text)
			assert.Nil(t, m)
		})
	}
}

// operations returns every operation of a Memory, with valid arguments.
func operations(m *store.Memory, c store.Claim) map[string]func(context.Context) error {
	n := store.Nonce{Key: c.Key, TTL: retention}
	return map[string]func(context.Context) error{
		"claim":    func(ctx context.Context) error { _, err := m.Claim(ctx, c); return err },
		"mark":     func(ctx context.Context) error { return m.Mark(ctx, c.Key, c.Owner) },
		"renew":    func(ctx context.Context) error { return m.Renew(ctx, c.Key, c.Owner, 2*lease) },
		"complete": func(ctx context.Context) error { return m.Complete(ctx, completion(c, nil)) },
		"release":  func(ctx context.Context) error { return m.Release(ctx, store.Release{Key: c.Key, Owner: c.Owner}) },
		"get":      func(ctx context.Context) error { _, err := m.Get(ctx, c.Key); return err },
		"resolve":  func(ctx context.Context) error { return m.Resolve(ctx, c.Key, store.Happened) },
		"spend":    func(ctx context.Context) error { _, err := m.Spend(ctx, n, c.Owner); return err },
		"add":      func(ctx context.Context) error { _, err := m.Add(ctx, c.Key, "kind", retention); return err },
		"max":      func(ctx context.Context) error { _, err := m.Max(ctx, c.Key); return err },
		"reset":    func(ctx context.Context) error { return m.Reset(ctx, c.Key) },
	}
}

func TestMemory_ReturnsTheErrorOfAContextThatIsDone(t *testing.T) {
	t.Parallel()
	c := claim(keyOf("bob", "k"), store.NewOwner())
	c.Start = false
	done, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	m, _ := newMemory(t)
	mustClaim(t, m, c)
	before := record(t, m, c.Key)
	for name, operation := range operations(m, c) {
		assert.ErrorIs(t, operation(done), context.Canceled, name)
		assert.ErrorIs(t, operation(late), context.DeadlineExceeded, name)
	}
	assert.Equal(t, before, record(t, m, c.Key))
	found, err := m.Max(t.Context(), c.Key)
	require.NoError(t, err)
	assert.Zero(t, found)
	mine, err := m.Spend(t.Context(), store.Nonce{Key: c.Key, TTL: retention}, store.NewOwner())
	require.NoError(t, err)
	assert.True(t, mine, "the nonce was not spent")
}

func TestMemory_TheLongestDurationDoesNotEndAtOnce(t *testing.T) {
	t.Parallel()
	m, now := newMemory(t)
	now.Advance(retention)
	c := claim(keyOf("bob", "k"), store.NewOwner())
	c.Lease, c.Retention = math.MaxInt64, math.MaxInt64
	c.Nonce = store.Nonce{Key: keyOf("bob", "n"), TTL: math.MaxInt64}
	mustClaim(t, m, c)
	now.Advance(100 * 365 * 24 * time.Hour)
	other := claim(c.Key, store.NewOwner())
	assert.Equal(t, store.Running, verdict(t, m, other))
	mine, err := m.Spend(t.Context(), c.Nonce, other.Owner)
	require.NoError(t, err)
	assert.False(t, mine)
	require.NoError(t, m.Renew(t.Context(), c.Key, c.Owner, math.MaxInt64))
	assert.Equal(t, store.Running, verdict(t, m, other))
}

func TestMemory_TimeStandsStillWhileTheClockIsBehind(t *testing.T) {
	t.Parallel()
	m, now := newMemory(t)
	key := keyOf("bob", "k")
	mustFinish(t, m, key, nil)
	now.Advance(retention)
	require.Equal(t, store.Record{}, record(t, m, key))
	mustFinish(t, m, key, nil)
	now.Advance(-24 * time.Hour)
	assert.Equal(t, retention, record(t, m, key).ExpiresIn)
	now.Advance(24*time.Hour + tick)
	assert.Equal(t, retention-tick, record(t, m, key).ExpiresIn)
}

func TestMemory_ByDefaultTimePasses(t *testing.T) {
	t.Parallel()
	m, err := store.NewMemory() // with time.Now
	require.NoError(t, err)
	mustFinish(t, m, keyOf("bob", "k"), nil)
	left := record(t, m, keyOf("bob", "k")).ExpiresIn
	assert.Positive(t, left)
	assert.LessOrEqual(t, left, retention)
}
