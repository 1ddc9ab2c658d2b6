package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// clock stands still until a test moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newMemory(tb testing.TB, opts ...store.MemoryOption) (*store.Memory, *clock) {
	tb.Helper()
	c := newClock()
	m, err := store.NewMemory(append([]store.MemoryOption{store.WithClock(c.Now)}, opts...)...)
	require.NoError(tb, err)
	return m, c
}

const (
	lease     = time.Minute
	retention = time.Hour
	tick      = time.Nanosecond
)

// keyOf returns a key of a principal.
func keyOf(principal, key string) store.Key {
	return store.Scope{Namespace: "n", Principal: principal, Tool: "t"}.Key(key)
}

// claim returns a claim that starts the execution.
func claim(key store.Key, owner store.Owner) store.Claim {
	return store.Claim{
		Key: key, Owner: owner, Fingerprint: store.Fingerprint([]byte("{}")),
		Lease: lease, Retention: retention, Start: true,
	}
}

func completion(c store.Claim, result []byte) store.Completion {
	return store.Completion{
		Key: c.Key, Owner: c.Owner, State: store.Completed, Result: result, Retention: retention,
	}
}

// mustClaim claims, and requires that it is claimed.
func mustClaim(tb testing.TB, m *store.Memory, c store.Claim) {
	tb.Helper()
	a, err := m.Claim(tb.Context(), c)
	require.NoError(tb, err)
	require.Equal(tb, store.Claimed, a.Status)
}

// mustFinish claims and completes.
func mustFinish(tb testing.TB, m *store.Memory, key store.Key, result []byte) {
	tb.Helper()
	c := claim(key, store.NewOwner())
	mustClaim(tb, m, c)
	require.NoError(tb, m.Complete(tb.Context(), completion(c, result)))
}

func verdict(tb testing.TB, m *store.Memory, c store.Claim) store.ClaimStatus {
	tb.Helper()
	a, err := m.Claim(tb.Context(), c)
	require.NoError(tb, err)
	return a.Status
}

func record(tb testing.TB, m *store.Memory, key store.Key) store.Record {
	tb.Helper()
	r, err := m.Get(tb.Context(), key)
	require.NoError(tb, err)
	return r
}
