package witness

import (
	"cmp"
	"context"
	"crypto/rand"
	"runtime/pprof"
	"slices"
	"sync/atomic"
	"time"
)

// Options configure [Run]. The zero value is valid.
type Options struct {
	// Allow lists bookkeeping. Events that it covers are returned apart.
	Allow []Allowance
	// Folders are compared before and after each window, by all witnesses.
	Folders []string
	// Requests are the HTTP requests that are taken in each window.
	Requests []*Requests
	// Settle is how long a window stays open for goroutines that its function
	// started and that still run. It ends sooner when they have ended. Zero
	// means one second, negative means that a window does not wait.
	Settle time.Duration
	// Limit bounds the child process. Zero means one minute. The deadline of
	// the test, if it has one, also bounds it.
	Limit time.Duration
	// NoKernel runs the body in this process, as on systems without the kernel
	// witness.
	NoKernel bool
}

// defaultSettle and defaultLimit hold for zero options.
const (
	defaultSettle = time.Second
	defaultLimit  = time.Minute
)

// An Observation is what was seen in one window.
type Observation struct {
	// Events are the acts of the run, in their order, without allowed ones.
	Events []Event
	// Allowed are the acts that an allowance covers.
	Allowed []Allowed
	// Before are acts since the previous window ended: late ones of its run,
	// or those of a function between the windows. Acts before the first window
	// are the set-up of the test and are not listed.
	Before []Event
	// Running is how many goroutines of the run were left when the window
	// closed. Their later acts are in Before of the next observation, or in
	// [Recorder.Late].
	Running int
}

// An Allowed event is bookkeeping, with the reason of its [Allowance].
type Allowed struct {
	Event  Event
	Reason string
}

// A Recorder observes runs of handlers. [Run] makes it. Its methods except
// [Recorder.Join] must be called on the goroutine of the test.
type Recorder struct {
	options Options
	kernel  session      // nil without the kernel
	window  atomic.Value // the name of the latest window, a string
	err     error        // the first failure of a witness
}

// A session is the connection of a child process to the kernel's witness.
type session interface {
	// begin opens a window and returns the events since the last one ended.
	begin() ([]Event, error)
	// end closes the window and returns its events.
	end() ([]Event, error)
	// late returns the events since the last window ended.
	late() ([]Event, error)
}

// Kernel reports whether the kernel is a witness here.
func (r *Recorder) Kernel() bool { return r.kernel != nil }

// Window runs f and returns what it did. It ends when f has returned and its
// goroutines have ended; see [Options.Settle]. If f panics or ends the test,
// the window is closed and nothing is returned.
func (r *Recorder) Window(f func()) (seen Observation) {
	window := rand.Text()
	r.window.Store(window)
	before := r.trees()
	for _, t := range r.options.Requests {
		t.take()
	}
	seen.Before, _ = r.sort(r.begin())
	defer func() {
		if wait := cmp.Or(r.options.Settle, defaultSettle); wait > 0 {
			seen.Running = settle(window, wait)
		}
		events := r.end()
		for _, t := range r.options.Requests {
			events = append(events, t.take()...)
		}
		after := r.trees()
		for i := range before {
			events = append(events, before[i].Diff(after[i])...)
		}
		seen.Events, seen.Allowed = r.sort(events)
	}()
	labelled(window, f)
	return seen
}

// Join makes the calling goroutine one of the latest window, as if the function
// of the window had started it. It is for goroutines that were started before.
// The context has the labels that the goroutine then has. Join is safe for
// concurrent use.
func (r *Recorder) Join(ctx context.Context) context.Context {
	window, _ := r.window.Load().(string)
	ctx = pprof.WithLabels(ctx, labels(window))
	pprof.SetGoroutineLabels(ctx)
	return ctx
}

// begin opens the kernel's window.
func (r *Recorder) begin() []Event {
	if r.kernel == nil || r.err != nil {
		return nil
	}
	late, err := r.kernel.begin()
	r.fail(err)
	return late
}

// end closes the kernel's window.
func (r *Recorder) end() []Event {
	if r.kernel == nil || r.err != nil {
		return nil
	}
	events, err := r.kernel.end()
	r.fail(err)
	return events
}

// trees reads the folders.
func (r *Recorder) trees() []Snapshot {
	trees := make([]Snapshot, len(r.options.Folders))
	for i, root := range r.options.Folders {
		tree, err := Tree(root)
		r.fail(err)
		trees[i] = tree
	}
	return trees
}

// Late returns the acts since the last window ended, without allowed ones.
func (r *Recorder) Late() []Event {
	if r.kernel == nil || r.err != nil {
		return nil
	}
	events, err := r.kernel.late()
	r.fail(err)
	seen, _ := r.sort(events)
	return seen
}

// Err returns the first failure of a witness, such as a folder that cannot be
// read. Observations after it are incomplete.
func (r *Recorder) Err() error { return r.err }

// fail records the first failure.
func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// sort divides events into those that count and those that are allowed.
func (r *Recorder) sort(events []Event) (seen []Event, allowed []Allowed) {
	for _, e := range events {
		i := slices.IndexFunc(r.options.Allow, func(a Allowance) bool { return a.Covers(e) })
		if i < 0 {
			seen = append(seen, e)
			continue
		}
		allowed = append(allowed, Allowed{Event: e, Reason: r.options.Allow[i].Reason})
	}
	return seen, allowed
}
