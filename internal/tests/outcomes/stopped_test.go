//go:build unix

package outcomes_test

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// shortTimeout is the time limit of a handler that hangs. Its claim is renewed
// for ten times as long.
const (
	shortTimeout = 300 * time.Millisecond
	renewed      = 10 * shortTimeout
)

// A pausing is how the owner of a record pauses before its request to the
// provider, and goes on after others have found its record abandoned.
type pausing string

const (
	stops pausing = "is stopped"
	hangs pausing = "hangs"
)

// owner starts a call that pauses. resume lets it go on, and waits for its
// answer.
func (o *order) owner(t *testing.T, how pausing, gate chan struct{}, p *process) (resume func()) {
	t.Helper()
	if how == hangs {
		p.Terms.Timeout = shortTimeout
	}
	c := o.start(t, p)
	var wait sync.WaitGroup
	wait.Go(func() {
		for a := o.place(t.Context(), c); a.Code == contract.CodeUnavailable; a = o.place(t.Context(), c) { // it was not claimed
			a.pause()
		}
	})
	pid := o.shop.provider.awaitGate(t, o.name)
	if how == stops {
		require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	resume = sync.OnceFunc(func() {
		requests := o.shop.provider.requests(o.name)
		close(gate)
		_ = syscall.Kill(pid, syscall.SIGCONT)
		wait.Wait()
		o.shop.provider.awaitRequests(t, o.name, requests+1)
	})
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	return resume
}

// TestCrash_AnOwnerThatGoesOnHasNoSecondEffect calls another process while the
// owner of an order's record is stopped or hangs.
func TestCrash_AnOwnerThatGoesOnHasNoSecondEffect(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, how := range []pausing{stops, hangs} {
			for name, terms := range map[string]terms{
				"the provider refuses the key":   {Ask: void},
				"the same, low risk":             {Ask: void, Low: true},
				"it has not happened, high risk": {Ask: look, Quiet: time.Second},
				"the provider does not know":     {Ask: unsure},
				"without a question":             {},
			} {
				t.Run(string(how)+", "+name, func(t *testing.T) {
					t.Parallel()
					var f figures
					orders, together := numberOfOrders(1, 0.1)
					s.placeAll(t, orders, together, terms, func(t *testing.T, n int, other *server) {
						gate := make(chan struct{})
						o := s.order(fmt.Sprintf("%s, %s %d", how, name, n), plan{gate: gate})
						defer o.end()
						resume := o.owner(t, how, gate, &process{Official: n%2 == 1, Terms: terms})
						if terms.Ask == void {
							o.placeUntil(t, other)
						} else {
							o.placeUntilUnknown(t, other)
						}
						resume()
						o.placeUntilRecorded(t, other)
						f.add(o, o.isPlacedOnce(t))
					})
					f.log(t, s, string(how)+", "+name)
				})
			}
		}
	})
}

// TestCrash_AHandlerThatHangsInThisProcessIsNotAskedAbout repeats the call in
// the same process, past all leases.
func TestCrash_AHandlerThatHangsInThisProcessIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	inShops(t, sample(memory), func(t *testing.T, s *shop) {
		for name, terms := range map[string]terms{
			"the provider refuses the key":  {Ask: void, Timeout: shortTimeout},
			"it has not happened, low risk": {Ask: look, Quiet: time.Second, Low: true, Timeout: shortTimeout},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var f figures
				orders, together := numberOfOrders(1, 0.1)
				s.placeAll(t, orders, together, terms, func(t *testing.T, n int, c *server) {
					gate := make(chan struct{})
					o := s.order(fmt.Sprintf("%s %d", name, n), plan{gate: gate})
					first := o.place(t.Context(), c)
					assert.Equal(t, contract.CodeTimeout, first.Code, "%s", o)
					for end := o.began.Add(renewed + lease + time.Second); time.Now().Before(end); {
						a := o.place(t.Context(), c)
						assert.True(t, a.isEarly(), "%s", o)
						a.pause()
					}
					assert.Zero(t, s.provider.questions(o.name), "%s", o)
					close(gate)
					assert.Equal(t, contract.StatusReplayed, o.placeUntil(t, c).Status, "%s", o)
					f.add(o, o.isPlacedOnce(t))
				})
				f.log(t, s, "hangs in this process, "+name)
			})
		}
	})
}

// awaitStop waits until a process is stopped, and returns a function that
// resumes it.
func (o *order) awaitStop(t *testing.T) (resume func()) {
	t.Helper()
	pid := o.shop.provider.awaitGate(t, o.name)
	resume = sync.OnceFunc(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // later the pid may be another process's
	t.Cleanup(resume)
	return resume
}

// TestCrash_AnAnswerThatIsOldRunsNothing stops a process after it has read the
// record and before it asks what became of the call. Meanwhile another one asks,
// takes the record over, and is killed after its effect.
func TestCrash_AnAnswerThatIsOldRunsNothing(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for name, terms := range map[string]terms{
			"the provider refuses the key": {Ask: void},
			"it has not happened":          {Ask: look, Low: true, Quiet: time.Second},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var f figures
				orders, together := numberOfOrders(1, 0.05)
				s.placeAll(t, orders, together, terms, func(t *testing.T, n int, other *server) {
					o := s.order(fmt.Sprintf("%s %d", name, n), plan{kill: atEffect})
					defer o.end()
					o.breakOff(t, crash{first: atHandler}, &process{Terms: terms})
					old := o.start(t, &process{Terms: terms, Point: afterNonce, Stops: o.name})
					var wait sync.WaitGroup
					wait.Go(func() { o.placeUntil(t, old) })
					resume := o.awaitStop(t)
					o.breakOff(t, crash{first: atEffect}, &process{Terms: terms})
					o.awaitLease(t)
					resume()
					wait.Wait()
					o.placeUntil(t, other)
					f.add(o, o.isPlacedOnce(t))
				})
				f.log(t, s, "an old answer: "+name)
			})
		}
	})
}
