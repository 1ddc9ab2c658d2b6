package store_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store"
)

func TestNewMemoryNamesTheOptionThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		opt  store.MemoryOption
		text string
	}{
		"nil":               {nil, "idempotency: NewMemory: an option is nil"},
		"no entries":        {store.WithMaxEntries(0), "idempotency: MaxEntries: the number is less than two"},
		"negative entries":  {store.WithMaxEntries(-1), "idempotency: MaxEntries: the number is less than two"},
		"a single entry":    {store.WithMaxEntries(1), "idempotency: MaxEntries: the number is less than two"},
		"no bytes":          {store.WithMaxBytes(0), "idempotency: MaxBytes: the number is less than 960"},
		"negative bytes":    {store.WithMaxBytes(math.MinInt64), "idempotency: MaxBytes: the number is less than 960"},
		"bytes for one":     {store.WithMaxBytes(959), "idempotency: MaxBytes: the number is less than 960"},
		"a clock that is 0": {store.WithClock(nil), "idempotency: WithClock: the function is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := store.NewMemory(tc.opt)
			assert.EqualError(t, err, tc.text)
			assert.Nil(t, m)
		})
	}
}

// operations are all that a Memory can be asked, each with arguments that a good one accepts.
func operations(m *store.Memory, c store.Claim) map[string]func(context.Context) error {
	n := store.Nonce{Key: c.Key, TTL: retention}
	return map[string]func(context.Context) error{
		"claim":    func(ctx context.Context) error { _, err := m.Claim(ctx, c); return err },
		"mark":     func(ctx context.Context) error { return m.Mark(ctx, c.Key, c.Owner) },
		"renew":    func(ctx context.Context) error { return m.Renew(ctx, c.Key, c.Owner, 2*lease) },
		"complete": func(ctx context.Context) error { return m.Complete(ctx, completion(c, nil)) },
		"release":  func(ctx context.Context) error { return m.Release(ctx, c.Key, c.Owner) },
		"get":      func(ctx context.Context) error { _, err := m.Get(ctx, c.Key); return err },
		"resolve":  func(ctx context.Context) error { return m.Resolve(ctx, c.Key, store.Happened) },
		"spend":    func(ctx context.Context) error { _, err := m.Spend(ctx, n, c.Owner); return err },
		"add":      func(ctx context.Context) error { _, err := m.Add(ctx, c.Key, "kind", retention); return err },
		"max":      func(ctx context.Context) error { _, err := m.Max(ctx, c.Key); return err },
		"reset":    func(ctx context.Context) error { return m.Reset(ctx, c.Key) },
	}
}

func TestTheZeroMemoryRefusesEveryOperation(t *testing.T) {
	t.Parallel()
	var m store.Memory
	for name, operation := range operations(&m, claim(keyOf("bob", "k"), store.NewOwner())) {
		assert.EqualError(t, operation(t.Context()), "idempotency: the Memory was not made by NewMemory", name)
	}
}

func TestAContextThatIsDoneChangesNothing(t *testing.T) {
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
	highest, err := m.Max(t.Context(), c.Key)
	require.NoError(t, err)
	assert.Zero(t, highest)
	mine, err := m.Spend(t.Context(), store.Nonce{Key: c.Key, TTL: retention}, store.NewOwner())
	require.NoError(t, err)
	assert.True(t, mine, "the nonce was not spent")
}

func TestAnInvalidRequestChangesNothing(t *testing.T) {
	t.Parallel()
	c := claim(keyOf("bob", "k"), store.NewOwner())
	ctx := t.Context()
	m, _ := newMemory(t)
	mustClaim(t, m, c)
	before := record(t, m, c.Key)
	nobody, nothing := store.Owner{}, store.Key{}
	spend := func(n store.Nonce, by store.Owner) error { _, err := m.Spend(ctx, n, by); return err }
	add := func(key store.Key, d time.Duration) error { _, err := m.Add(ctx, key, "kind", d); return err }
	for name, err := range map[string]error{
		"claim":                   func() error { _, err := m.Claim(ctx, store.Claim{}); return err }(),
		"complete":                m.Complete(ctx, store.Completion{}),
		"mark nothing":            m.Mark(ctx, nothing, c.Owner),
		"mark as nobody":          m.Mark(ctx, c.Key, nobody),
		"renew nothing":           m.Renew(ctx, nothing, c.Owner, lease),
		"renew as nobody":         m.Renew(ctx, c.Key, nobody, lease),
		"renew for no time":       m.Renew(ctx, c.Key, c.Owner, 0),
		"renew for less":          m.Renew(ctx, c.Key, c.Owner, -1),
		"release nothing":         m.Release(ctx, nothing, c.Owner),
		"release as nobody":       m.Release(ctx, c.Key, nobody),
		"get nothing":             func() error { _, err := m.Get(ctx, nothing); return err }(),
		"resolve nothing":         m.Resolve(ctx, nothing, store.Happened),
		"resolve without finding": m.Resolve(ctx, c.Key, store.UndeclaredFinding),
		"resolve as 3":            m.Resolve(ctx, c.Key, 3),
		"spend nothing":           spend(store.Nonce{TTL: 1}, c.Owner),
		"spend for no time":       spend(store.Nonce{Key: c.Key}, c.Owner),
		"spend as nobody":         spend(store.Nonce{Key: c.Key, TTL: 1}, nobody),
		"add to nothing":          add(nothing, 1),
		"add for no time":         add(c.Key, 0),
		"add for less":            add(c.Key, -1),
		"max of nothing":          func() error { _, err := m.Max(ctx, nothing); return err }(),
		"reset nothing":           m.Reset(ctx, nothing),
	} {
		assert.ErrorIs(t, err, store.ErrInvalid, name)
	}
	assert.Equal(t, before, record(t, m, c.Key))
}

func TestAnEntryAtItsEndIsGone(t *testing.T) {
	t.Parallel()
	key := keyOf("bob", "k")
	other := claim(key, store.NewOwner())
	t.Run("a lease", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		mustClaim(t, m, claim(key, store.NewOwner()))
		now.Advance(lease - tick)
		a, err := m.Claim(t.Context(), other)
		require.NoError(t, err)
		assert.Equal(t, store.ClaimResult{Status: store.Running, LeaseLeft: tick}, a)
		now.Advance(tick)
		assert.Equal(t, store.Abandoned, verdict(t, m, other))
	})
	t.Run("a record", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		mustFinish(t, m, key, []byte("r"))
		now.Advance(retention - tick)
		assert.Equal(t, tick, record(t, m, key).ExpiresIn)
		now.Advance(tick)
		assert.Equal(t, store.Record{}, record(t, m, key))
		other := other
		other.Fingerprint[0]++
		assert.Equal(t, store.Claimed, verdict(t, m, other), "with any arguments")
	})
	t.Run("a renewed record lives as long as its lease", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		c := claim(key, store.NewOwner())
		mustClaim(t, m, c)
		require.NoError(t, m.Renew(t.Context(), key, c.Owner, 3*retention))
		now.Advance(3*retention - tick)
		assert.Equal(t, store.Running, verdict(t, m, other))
		now.Advance(tick)
		assert.Equal(t, store.Claimed, verdict(t, m, other))
		assert.ErrorIs(t, m.Complete(t.Context(), completion(c, nil)), store.ErrLost)
	})
	t.Run("a nonce, which repeating does not lengthen", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		n, first, second := store.Nonce{Key: key, TTL: lease}, store.NewOwner(), store.NewOwner()
		spend := func(by store.Owner) bool {
			mine, err := m.Spend(t.Context(), n, by)
			require.NoError(t, err)
			return mine
		}
		assert.True(t, spend(first))
		now.Advance(lease - tick)
		assert.True(t, spend(first))
		assert.False(t, spend(second))
		now.Advance(tick)
		assert.True(t, spend(second))
		assert.False(t, spend(first))
	})
	t.Run("a count, whose window adding does not move", func(t *testing.T) {
		t.Parallel()
		m, now := newMemory(t)
		add := func(kind string) int64 {
			n, err := m.Add(t.Context(), key, kind, lease)
			require.NoError(t, err)
			return n
		}
		assert.EqualValues(t, 1, add("a"))
		now.Advance(lease - tick)
		assert.EqualValues(t, 2, add("a"))
		assert.EqualValues(t, 1, add("b"))
		now.Advance(tick)
		highest, err := m.Max(t.Context(), key)
		require.NoError(t, err)
		assert.Zero(t, highest)
		assert.EqualValues(t, 1, add("a"))
	})
}

func TestTheLongestDurationDoesNotEndAtOnce(t *testing.T) {
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

func TestAClockThatGoesBackStandsStill(t *testing.T) {
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

func TestWithoutAClockTimePasses(t *testing.T) {
	t.Parallel()
	m, err := store.NewMemory() // with time.Now
	require.NoError(t, err)
	mustFinish(t, m, keyOf("bob", "k"), nil)
	left := record(t, m, keyOf("bob", "k")).ExpiresIn
	assert.Positive(t, left)
	assert.LessOrEqual(t, left, retention)
}

func TestResultsAreNobodysBuffer(t *testing.T) {
	t.Parallel()
	for name, result := range map[string][]byte{
		"nil": nil, "empty": {}, "zero": []byte("0"), "null": []byte("null"), "false": []byte("false"), "binary": {0, 0xff, '\n'},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := newMemory(t)
			key := keyOf("bob", "k")
			want := bytes.Clone(result)
			mustFinish(t, m, key, result)
			clear(result)
			for range 2 {
				a, err := m.Claim(t.Context(), claim(key, store.NewOwner()))
				require.NoError(t, err)
				require.Equal(t, want, a.Result)
				clear(a.Result)
				r := record(t, m, key)
				require.Equal(t, want, r.Result)
				clear(r.Result)
			}
		})
	}
}

func TestOfManyClaimsAtOnceOneIsClaimed(t *testing.T) {
	t.Parallel()
	m, _ := newMemory(t)
	const goroutines, keys = 32, 50
	var claimed, spent, lost atomic.Int64
	var most atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range keys {
				c := claim(keyOf("bob", string(rune('a'+i))), store.NewOwner())
				a, err := m.Claim(t.Context(), c)
				assert.NoError(t, err)
				if a.Status == store.Claimed {
					claimed.Add(1)
				}
				switch err := m.Complete(t.Context(), completion(c, []byte("r"))); {
				case errors.Is(err, store.ErrLost):
					lost.Add(1)
				default:
					assert.NoError(t, err)
				}
				mine, err := m.Spend(t.Context(), store.Nonce{Key: c.Key, TTL: retention}, c.Owner)
				assert.NoError(t, err)
				if mine {
					spent.Add(1)
				}
				n, err := m.Add(t.Context(), c.Key, "kind", retention)
				assert.NoError(t, err)
				if n == goroutines {
					most.Add(1)
				}
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, keys, claimed.Load())
	assert.EqualValues(t, keys, spent.Load())
	assert.EqualValues(t, keys*(goroutines-1), lost.Load())
	assert.EqualValues(t, keys, most.Load())
}
