package redisstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/longtest"
	"github.com/toolcontract/toolcontract/store/redisstore/internal/testing/redistest"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// harnesses returns harnesses on one server over a network that can hang.
func harnesses(
	t *testing.T, clock func(t *testing.T, s *redisstore.Store) storetest.Harness,
) func(t *testing.T) storetest.Harness {
	t.Helper()
	url := redistest.Start(t)
	admin := operator(t, url)
	return func(t *testing.T) storetest.Harness {
		t.Helper()
		network := newProxy(t, url)
		const maxBytes = 2 << 20
		s := open(t, network.URL, redisstore.WithMaxBytes(maxBytes))
		h := clock(t, s)
		h.Store = s
		h.MaxBytes = maxBytes
		h.Hang = network.Hold
		h.Full = func(ctx context.Context) error {
			t.Cleanup(func() { require.NoError(t, admin.ConfigSet(context.Background(), "maxmemory", "0").Err()) })
			return admin.ConfigSet(ctx, "maxmemory", "1").Err()
		}
		return h
	}
}

// frozen stops the clock; only Advance moves it.
func frozen(_ *testing.T, s *redisstore.Store) storetest.Harness {
	now := time.Now()
	s.Freeze(now)
	return storetest.Harness{Exact: true, Advance: func(d time.Duration) {
		now = now.Add(d)
		s.Freeze(now)
	}}
}

// ticking uses the server's clock; Advance moves the store ahead of it.
func ticking(_ *testing.T, s *redisstore.Store) storetest.Harness {
	var ahead time.Duration
	return storetest.Harness{Advance: func(d time.Duration) {
		ahead += d
		s.Shift(ahead)
	}}
}

func TestStore_FollowsTheRulesOnAClockThatStands(t *testing.T) {
	t.Parallel()
	storetest.Run(t, harnesses(t, frozen))
}

func TestStore_OfSeveralProcesses(t *testing.T) {
	t.Parallel()
	storetest.RunProcesses(t, func(t *testing.T) string { return redistest.Start(t) },
		func(t *testing.T, url string) storetest.Harness {
			s := open(t, url)
			h := ticking(t, s)
			h.Store = s
			return h
		})
}

func TestStore_FollowsTheRulesOnTheServersClock(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	storetest.Run(t, harnesses(t, ticking))
}
