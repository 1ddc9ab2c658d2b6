package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// lines counts a logger's lines.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) count() int {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.buf.Bytes(), []byte("\n"))
}

func TestMemory_WarnsOnceWhenItIsNearlyFull(t *testing.T) {
	t.Parallel()
	const most = 100
	for name, tc := range map[string]struct {
		principal func(i int) string
		quiet     int // claims without a warning
	}{
		"many principals": {strconv.Itoa, 80},
		"one principal":   {func(int) string { return "anna" }, 40}, // of the 50 that it gets
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := &lines{}
				m, err := store.NewMemory(store.WithMaxEntries(most), store.WithLogger(slog.New(slog.NewTextHandler(log, nil))))
				require.NoError(t, err)
				n := 0
				fill := func(to int) {
					for ; n < to; n++ {
						_, err := m.Claim(t.Context(), claim(keyOf(tc.principal(n), strconv.Itoa(n)), store.NewOwner()))
						require.True(t, err == nil || errors.Is(err, store.ErrFull), err)
					}
				}
				fill(tc.quiet)
				assert.Zero(t, log.count())
				fill(tc.quiet + 1)
				assert.Equal(t, 1, log.count())
				fill(3 * most)
				assert.Equal(t, 1, log.count(), "not once for each call")
				assert.NotContains(t, log.buf.String(), "anna")
				time.Sleep(retention)
				n = 0
				fill(tc.quiet)
				assert.Equal(t, 1, log.count())
				fill(tc.quiet + 1)
				assert.Equal(t, 2, log.count(), "it was empty in between")
			})
		})
	}
}

// A panicHandler is a program's log handler that panics.
type panicHandler struct{ slog.Handler }

func (panicHandler) Handle(context.Context, slog.Record) error { panic("no disk") }

func TestMemory_OutlivesItsLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, err := store.NewMemory(store.WithMaxEntries(2), store.WithLogger(slog.New(panicHandler{slog.DiscardHandler})))
		require.NoError(t, err)
		mustClaim(t, m, claim(keyOf("anna", "1"), store.NewOwner()))
		_, err = m.Claim(t.Context(), claim(keyOf("anna", "2"), store.NewOwner()))
		require.ErrorIs(t, err, store.ErrFull)
		synctest.Wait()
	})
}

func TestMemory_WithoutRoomKnowsTheNextEnd(t *testing.T) {
	t.Parallel()
	m, now := newMemory(t, store.WithMaxEntries(4))
	first := claim(keyOf("anna", "first"), store.NewOwner())
	mustClaim(t, m, first)
	now.Advance(time.Minute)
	_, err := m.Spend(t.Context(), store.Nonce{Key: keyOf("bob", "nonce"), TTL: retention / 2}, store.NewOwner())
	require.NoError(t, err)
	for _, who := range []string{"carl", "dora"} {
		mustClaim(t, m, claim(keyOf(who, "key"), store.NewOwner()))
	}
	check := func(want time.Duration) {
		t.Helper()
		_, err := m.Claim(t.Context(), claim(keyOf("emil", "key"), store.NewOwner()))
		full, ok := errors.AsType[*store.FullError](err)
		require.True(t, ok, err)
		require.ErrorIs(t, err, store.ErrFull)
		assert.Equal(t, want, full.RetryAfter)
		_, err = m.Spend(t.Context(), store.Nonce{Key: keyOf("emil", "nonce"), TTL: time.Hour}, store.NewOwner())
		require.ErrorAs(t, err, &full)
		assert.Equal(t, want, full.RetryAfter)
	}
	check(retention / 2)
	now.Advance(retention/2 - 1)
	check(1)
	now.Advance(1)
	mustClaim(t, m, claim(keyOf("emil", "key"), store.NewOwner()))
}
