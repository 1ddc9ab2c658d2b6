//go:build unix

package sqlstore_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A history has the answers to the calls for one slot.
type history struct {
	room    *room
	slot    string
	call    client.CallParams
	stopped bool // the process of a call was stopped

	mu  sync.Mutex
	all []answer
}

func (r *room) history(tool, slot string) *history {
	return &history{room: r, slot: slot, call: bookingBy(tool, slot)}
}

// book calls a process once. Neither a rolled-back transaction nor a crashed
// process leaves an unknown outcome, and no slot is ever booked twice.
func (h *history) book(t *testing.T, s *server) answer {
	t.Helper()
	began := time.Now()
	a := s.call(t.Context(), h.call)
	a.took = time.Since(began)
	assert.NotEqual(t, contract.CodeOutcomeUnknown, a.Code, h.slot)
	assert.LessOrEqual(t, len(h.room.tokens(t, h.slot)), 1, h.slot)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, a)
	return a
}

// retry is a client's pause between two calls.
const retry = 40 * time.Millisecond

// bookUntil calls until a call succeeds or the context ends.
func (h *history) bookUntil(ctx context.Context, t *testing.T, s *server) bool {
	t.Helper()
	for ctx.Err() == nil {
		if h.book(t, s).isSuccess() {
			return true
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
	}
	return false
}

// breaksOff calls until a process is killed within a call.
func (h *history) breaksOff(t *testing.T, s *server) bool {
	t.Helper()
	for {
		switch a := h.book(t, s); {
		case a.Status == 0:
			return true
		case a.isSuccess():
			return false
		}
	}
}

// isOneBooking checks that a slot has one row and that every successful call
// returned it.
func (h *history) isOneBooking(t *testing.T) {
	t.Helper()
	found := h.room.tokens(t, h.slot)
	if !assert.Len(t, found, 1, h.slot) {
		return
	}
	for _, a := range h.all {
		if a.isSuccess() {
			assert.Equal(t, found[0], a.Token, h.slot)
		}
	}
}

// String returns the answers in order.
func (h *history) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	b.WriteString(h.slot)
	for _, a := range h.all {
		fmt.Fprintf(&b, "\n%s %s after %s: %v", a.Status, a.Code, a.took, a.err)
	}
	return b.String()
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

var points = []point{atClaim, atBegin, atWrite, atComplete, atAnswer}

func TestThreat164_AKilledProcessLeavesOneBookingAndNoUnknownOutcome(t *testing.T) {
	t.Parallel()
	inRooms(t, func(t *testing.T, r *room) {
		for _, at := range points {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				h := r.history("book", string(at))
				require.True(t, h.breaksOff(t, r.start(t, &process{Point: at, Signal: syscall.SIGKILL})))
				if at == atAnswer {
					assert.Len(t, r.tokens(t, h.slot), 1)
				} else {
					assert.Empty(t, r.tokens(t, h.slot))
				}
				next := r.start(t, &process{})
				require.True(t, h.bookUntil(within(t, time.Minute), t, next))
				assert.Equal(t, at == atAnswer, h.all[len(h.all)-1].Status == contract.StatusReplayed)
				assert.Equal(t, contract.StatusReplayed, h.book(t, next).Status)
				h.isOneBooking(t)
			})
		}
	})
}

func TestThreat164_AStoppedProcessLeavesOneBookingAndNoUnknownOutcome(t *testing.T) {
	t.Parallel()
	inRooms(t, func(t *testing.T, r *room) {
		for _, at := range points {
			t.Run(string(at), func(t *testing.T) {
				if r.dialect != sqlstore.SQLite { // a stopped process blocks the file of others
					t.Parallel()
				}
				h := r.history("book", "stopped at "+string(at))
				first, second := r.start(t, &process{Point: at, Signal: syscall.SIGSTOP}), r.start(t, &process{})
				var wait sync.WaitGroup
				wait.Go(func() { h.bookUntil(within(t, time.Minute), t, first) })
				pid := first.awaitStop(t)
				resume := sync.OnceFunc(func() { require.NoError(t, syscall.Kill(pid, syscall.SIGCONT)) })
				defer resume()
				switch {
				case r.dialect != sqlstore.SQLite || at == atClaim || at == atBegin || at == atAnswer:
					assert.True(t, h.bookUntil(within(t, time.Minute), t, second), "another process takes over")
				default:
					assert.False(t, h.bookUntil(within(t, processLease), t, second), "the file is locked")
				}
				resume()
				wait.Wait()
				require.True(t, h.bookUntil(within(t, time.Minute), t, second))
				h.isOneBooking(t)
			})
		}
	})
}

// crashCalls is the environment variable with the number of calls of
// [TestCrash_CallsThatBreakOffAnywhereBookOnce] in each database.
const crashCalls = "TOOLCONTRACT_CRASHES"

// TestCrash_CallsThatBreakOffAnywhereBookOnce picks at random where each call's
// process is killed or stopped, and whether another process makes the same call
// at the same time. A long run prints its figures.
func TestCrash_CallsThatBreakOffAnywhereBookOnce(t *testing.T) {
	t.Parallel()
	calls, err := strconv.Atoi(os.Getenv(crashCalls))
	isLong, together := err == nil, 12
	if !isLong {
		calls, together = 24, 6
	}
	inRooms(t, func(t *testing.T, r *room) {
		var f figures
		var next atomic.Int64
		var wait sync.WaitGroup
		began := time.Now()
		for range min(calls, together) {
			wait.Go(func() {
				other := r.start(t, &process{})
				for n := next.Add(1); n <= int64(calls) && !t.Failed(); n = next.Add(1) {
					f.add(r.breakOff(t, fmt.Sprintf("slot %d", n), other))
				}
			})
		}
		wait.Wait()
		rows, slots := 0, 0
		require.NoError(t, r.db.QueryRowContext(t.Context(), `SELECT count(*), count(DISTINCT slot) FROM visits`).Scan(&rows, &slots))
		assert.Equal(t, calls, rows)
		assert.Equal(t, calls, slots)
		if isLong {
			t.Logf("%s: %d rows of %d slots in %s; %s", r.dialect, rows, slots, time.Since(began).Round(time.Second), &f)
		}
	})
}

// breakOff makes a call with a process that crashes at a random point, and with
// another one until it succeeds.
func (r *room) breakOff(t *testing.T, slot string, other *server) *history {
	t.Helper()
	h := r.history("book", slot)
	p := &process{Point: points[rand.IntN(len(points))], Signal: syscall.SIGKILL}
	switch n := rand.IntN(20); {
	case n < 1, n < 4 && r.dialect != sqlstore.SQLite: // one that is stopped blocks a file for all
		p.Signal = syscall.SIGSTOP
		h.stopped = true
	case n < 12: // anywhere
		p.Point, p.Delay = atClaim, time.Duration(rand.Int64N(int64(15*time.Millisecond)))
	}
	s := r.start(t, p)
	defer s.Close()
	var wait sync.WaitGroup
	if h.stopped {
		wait.Go(func() { h.bookUntil(within(t, time.Minute), t, s) })
		pid, resumed := s.awaitStop(t), make(chan struct{})
		defer close(resumed)
		time.AfterFunc(time.Duration(rand.Int64N(int64(2*processLease))), func() { resume(pid, resumed) })
	} else {
		if rand.IntN(2) == 0 {
			wait.Go(func() { h.bookUntil(within(t, time.Minute), t, other) })
		}
		h.breaksOff(t, s)
	}
	if !assert.True(t, h.bookUntil(within(t, time.Minute), t, other), "no call succeeds: "+slot) {
		t.Log(h)
	}
	wait.Wait()
	h.isOneBooking(t)
	return h
}

// resume keeps resuming a process until a channel is closed, because the
// process announces its stop before it stops.
func resume(pid int, resumed <-chan struct{}) {
	for again := time.Tick(20 * time.Millisecond); ; {
		_ = syscall.Kill(pid, syscall.SIGCONT)
		select {
		case <-again:
		case <-resumed:
			return
		}
	}
}

// figures are what a long run prints.
type figures struct {
	mu              sync.Mutex
	killed, stopped int
	answers         map[string]int
}

func (f *figures) add(h *history) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answers == nil {
		f.answers = map[string]int{}
	}
	if h.stopped {
		f.stopped++
	}
	for _, a := range h.all {
		switch {
		case a.Status == 0:
			f.killed++
		case a.Code != "":
			f.answers[a.Code]++
		default:
			f.answers[a.Status.String()]++
		}
	}
}

// String returns the figures in one line.
func (f *figures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processes killed within a call, %d stopped; answers:", f.killed, f.stopped)
	for _, name := range slices.Sorted(maps.Keys(f.answers)) {
		fmt.Fprintf(&b, " %s %d", name, f.answers[name])
	}
	return b.String()
}
