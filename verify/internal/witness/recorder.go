package witness

import (
	"cmp"
	"context"
	"crypto/rand"
	"runtime/pprof"
	"sync/atomic"
	"time"
)

// Options configures [Run]. The zero value is valid.
type Options struct {
	// Folders are compared before and after each window, whatever the
	// witnesses.
	Folders []string
	// Requests has the HTTP requests to collect in each window.
	Requests []*Requests
	// Settle is how long a window stays open for goroutines that its function
	// started and that are still running. It ends earlier once they have ended.
	// Zero means one second. Negative means that a window does not wait.
	Settle time.Duration
	// Limit bounds the time of the child process. Zero means one minute. The
	// test's deadline, if it has one, also bounds it.
	Limit time.Duration
	// NoKernel runs the body in this process, as on systems where the kernel is
	// not a witness.
	NoKernel bool
}

// The defaults for zero options.
const (
	defaultSettle = time.Second
	defaultLimit  = time.Minute
)

// An Observation is what was seen in one window.
type Observation struct {
	// Events are the acts of the run, in order.
	Events []Event
	// Running is how many of the run's goroutines were left when the window
	// closed. Nothing sees what they do later.
	Running int
}

// A Recorder observes runs of handlers. [Run] creates it. Its methods, except
// [Recorder.Join], must be called on the test's goroutine.
type Recorder struct {
	options Options
	kernel  session      // nil without the kernel
	window  atomic.Value // the latest window's name, a string
	err     error        // the first failure of a witness
}

// A session is a child process's connection to the kernel witness.
type session interface {
	// begin opens a window.
	begin() error
	// end closes the window and returns its events.
	end() ([]Event, error)
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
	if r.kernel != nil && r.err == nil {
		r.fail(r.kernel.begin())
	}
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
		seen.Events = events
	}()
	withLabel(window, f)
	return seen
}

// Join makes the calling goroutine part of the latest window, as if the
// window's function had started it. It is for goroutines that were started
// earlier. The returned context has the labels that the goroutine then has.
// Join is safe for concurrent use.
func (r *Recorder) Join(ctx context.Context) context.Context {
	window, _ := r.window.Load().(string)
	ctx = pprof.WithLabels(ctx, labels(window))
	pprof.SetGoroutineLabels(ctx)
	return ctx
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

func (r *Recorder) trees() []Snapshot {
	trees := make([]Snapshot, len(r.options.Folders))
	for i, root := range r.options.Folders {
		tree, err := Tree(root)
		r.fail(err)
		trees[i] = tree
	}
	return trees
}

// Err returns the first failure of a witness, such as an unreadable folder.
// Observations after it are incomplete.
func (r *Recorder) Err() error { return r.err }

// fail records the first failure.
func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
