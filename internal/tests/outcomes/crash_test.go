//go:build unix

package outcomes_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/longtest"
)

// crashCalls is the environment variable with the number of orders of a long
// run on each store. The tests of atomic calls have the same one.
const crashCalls = "TOOLCONTRACT_CRASHES"

// numberOfOrders returns the number of orders on each store, and how many are
// placed at once. share is the part of a long run.
func numberOfOrders(short int, share float64) (orders, together int) {
	if long, err := strconv.Atoi(os.Getenv(crashCalls)); err == nil {
		return max(short, int(float64(long)*share)), 16
	}
	return short, 12
}

// isLong reports whether figures are printed.
func isLong() bool { return os.Getenv(crashCalls) != "" }

// A crash is where the process of an order's first call is killed, and where
// that of the next one, which may be nowhere.
type crash struct{ first, second point }

func (c crash) String() string {
	if c.second == "" {
		return string(c.first)
	}
	return string(c.first) + ", then " + string(c.second)
}

// points are the twelve at which processes are killed. The second ones come
// after the first ones with which they can be reached.
var points = []struct {
	second point
	first  []point
}{
	{"", []point{atClaim, atHandler, atWire, atEffect, atRecord, atAnswer}},
	{beforeAsking, []point{atHandler, atEffect, atClaim, atRecord}},
	{afterAsking, []point{atEffect, atHandler, atRecord, atClaim}},
	{beforeFound, []point{atRecord, atWire, atEffect}},
	{afterFound, []point{atWire, atRecord, atEffect}},
	{beforeTakeover, []point{atHandler, atEffect, atClaim, atWire}},
	{inSecondRun, []point{atClaim, atHandler}},
}

// crashes has each point in its first twelve, and then their combinations.
func crashes() (all []crash) {
	for _, first := range points[0].first {
		all = append(all, crash{first: first})
	}
	for i := range points[1].first {
		for _, p := range points[1:] {
			if i < len(p.first) {
				all = append(all, crash{p.first[i], p.second})
			}
		}
	}
	return all
}

// TestCrash_EveryOrderIsPlacedOnceAndEveryAnswerIsTrue kills the processes of
// orders at each point. The provider can be told to refuse a key, but does not
// deduplicate.
func TestCrash_EveryOrderIsPlacedOnceAndEveryAnswerIsTrue(t *testing.T) {
	t.Parallel()
	all := crashes()
	orders, together := numberOfOrders(longtest.Count(t, len(points)+5, len(all)), 1)
	inShops(t, shared, func(t *testing.T, s *shop) {
		var f figures
		s.placeAll(t, orders, together, terms{Ask: void}, func(t *testing.T, n int, other *server) {
			c := all[n%len(all)]
			o := s.order(fmt.Sprintf("order %d: %s", n, c), plan{kill: c.first})
			if n%3 == 2 {
				o.tool = keyedTool
			}
			o.breakOff(t, c, &process{Official: n%2 == 1, Terms: terms{Ask: void}})
			o.lookUpAll(t, other)
			o.placeUntil(t, other)
			o.lookUpAll(t, other)
			if again := o.place(t.Context(), other); !assert.Equal(t, contract.StatusReplayed, again.Status, "%s", o) {
				return
			}
			found := o.isPlacedOnce(t)
			if c.second == "" {
				assert.Zero(t, found.unknown, "the first repetition after the lease settles it: %s", o)
			}
			if since := s.provider.askedSince(o.name); c.first != atAnswer && c.second == "" {
				assert.WithinRange(t, since, o.began.Truncate(time.Second), o.answers[0].at, "%s", o)
			}
			f.add(o, found)
		})
		f.log(t, s, "killed at a point")
	})
}

// TestCrash_CallersAtOnceGetOneReceipt lets three callers repeat an order at the
// same time. At random instants the process of one is killed, again and again,
// and that of another is stopped and resumed later.
func TestCrash_CallersAtOnceGetOneReceipt(t *testing.T) {
	t.Parallel()
	orders, together := numberOfOrders(8, 0.5)
	inShops(t, shared, func(t *testing.T, s *shop) {
		var f figures
		s.placeAll(t, orders, together, terms{Ask: void}, func(t *testing.T, n int, other *server) {
			o := s.order(fmt.Sprintf("at once %d", n), plan{delay: rand.N(30 * time.Millisecond)})
			defer o.end()
			within := []time.Duration{40 * time.Millisecond, lease + time.Second}
			if n%2 == 1 {
				slices.Reverse(within)
			}
			killed := o.start(t, &process{Official: n%2 == 1, Terms: terms{Ask: void}, Within: within[0]})
			stopped := o.start(t, &process{Official: n%2 == 0, Terms: terms{Ask: void}, Within: within[1], Stops: o.name})
			ended := make(chan struct{})
			var callers, resuming sync.WaitGroup
			resuming.Go(func() { s.provider.resumeWithin(2*lease, o.name, ended) })
			placed := make(chan struct{})
			for _, c := range []*server{killed, stopped} {
				callers.Go(func() {
					for {
						a := o.place(t.Context(), c)
						select {
						case <-placed:
							return
						default:
						}
						if a.isSuccess() {
							return
						}
						a.pause()
					}
				})
			}
			o.awaitAnswer(t) // or it would mostly be the first
			time.Sleep(rand.N(50 * time.Millisecond))
			o.placeUntil(t, other)
			close(placed)
			callers.Wait()
			close(ended)
			resuming.Wait()
			o.placeUntil(t, other)
			f.add(o, o.isPlacedOnce(t))
		})
		f.log(t, s, "three callers at once, killed or stopped at random")
	})
}

// resumeWithin resumes the processes that are stopped for an order, each within
// some time, until ended is closed.
func (p *provider) resumeWithin(d time.Duration, order string, ended <-chan struct{}) {
	p.mu.Lock()
	reached := p.reached[order]
	p.mu.Unlock()
	for {
		select {
		case pid := <-reached:
			time.Sleep(rand.N(d))
			_ = syscall.Kill(pid, syscall.SIGCONT)
		case <-ended:
			return
		}
	}
}

// awaitAnswer waits until a call has been answered or lost.
func (o *order) awaitAnswer(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return len(o.answers) > 0
	}, patience, time.Millisecond)
}

// placeAll places orders, several at once. Each has a process that does not
// crash, which it shares with those before it.
func (s *shop) placeAll(
	t *testing.T, orders, together int, under terms, place func(t *testing.T, n int, other *server),
) {
	t.Helper()
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(orders, together) {
		wait.Go(func() {
			other := s.start(t, &process{Terms: under})
			for n := next.Add(1) - 1; n < int64(orders) && !t.Failed(); n = next.Add(1) - 1 {
				place(t, int(n), other)
			}
		})
	}
	wait.Wait()
}

// breakOff makes calls whose processes are killed.
func (o *order) breakOff(t *testing.T, c crash, p *process) {
	t.Helper()
	for _, at := range []point{c.first, c.second} {
		if at == "" {
			continue
		}
		server := o.shop.start(t, &process{Place: p.Place, Point: at, Official: p.Official, Terms: p.Terms, Keys: p.Keys, Old: p.Old})
		for {
			a := o.place(t.Context(), server)
			if a.err != nil {
				break
			}
			if !assert.Equal(t, contract.ClassRetryable, a.Class, "the process is killed %s: %s", at, o) {
				break
			}
			a.pause()
		}
		_ = server.Close()
	}
}

// figures are what a long run prints.
type figures struct {
	mu                                                 sync.Mutex
	orders, killed, again, untrue, unknown, open, none int
	answers                                            int
	states                                             map[string]int // that operations_get has told
}

func (f *figures) add(o *order, found finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orders++
	for _, a := range o.answers {
		if a.err != nil {
			f.killed++
		} else {
			f.answers++
		}
	}
	for _, l := range o.lookups {
		if f.states == nil {
			f.states = map[string]int{}
		}
		f.states[l.State]++
	}
	f.again += max(0, found.effects-1)
	f.untrue += len(found.untrue)
	f.unknown += found.unknown
	if found.open {
		f.open++
	}
	if found.effects == 0 {
		f.none++
	}
}

func (f *figures) log(t *testing.T, s *shop, what string) {
	t.Helper()
	if isLong() {
		t.Logf("| %s | %s | %d orders | %d lost calls | %d answers | %d untrue | %d second effects | %d without an effect | "+
			"%d outcome_unknown on the way | %d still unknown | looked up: %v |", s.place.Kind, what,
			f.orders, f.killed, f.answers, f.untrue, f.again, f.none, f.unknown, f.open, f.states)
	}
}
