package verify

import (
	"context"
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A handlerRun is one run of a handler.
type handlerRun struct {
	err      error
	panicked any
	exited   bool // it ended its goroutine
	ended    bool
	ctxEnded bool // its context had ended when it returned
	done     chan struct{}
}

// A runLog records a handler's runs, and the resolutions that the contract does
// not allow.
type runLog struct {
	cut bool // the handler gets a context that has already ended

	mu       sync.Mutex
	runs     []*handlerRun
	clauses  *contract.Document // of the first resolution, nil if there was none
	resolved []wrongResolution
}

// A wrongResolution is a resolution that the contract does not allow: it is
// below the least or, otherwise, stricter than the contract.
type wrongResolution struct {
	err   error
	below bool
}

// instrument returns a copy of the tool that records its runs in the log.
func (l *runLog) instrument(tool *contract.Tool) *contract.Tool {
	return observe.Observed(tool, observe.Observer{
		Handler:  l.run,
		Resolved: func(r contract.Resolution) { l.resolve(tool.Document(), r) },
	})
}

// inWindow returns a copy of the tool whose functions run inside the witness's
// window: goroutines they start belong to the observed call, even if a function
// runs on a goroutine of the guard that is older than the call.
func inWindow(r *witness.Recorder, tool *contract.Tool) *contract.Tool {
	return observe.Observed(tool, observe.Observer{
		Handler: func(ctx context.Context, run func(context.Context) (any, error)) (any, error) {
			return run(r.Join(ctx))
		},
		Authorize: func(ctx context.Context, run func(context.Context) error) error { return run(r.Join(ctx)) },
	})
}

// lowest is below every contract.
var lowest = contract.Least{
	Effect: risk.ReadOnly, Risk: risk.Low, Confirmation: contract.ConfirmationNever, Permissions: []string{},
}

// resolve records how a declared contract was resolved.
func (l *runLog) resolve(declared contract.Document, r contract.Resolution) {
	doc, err := declared.Resolved(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		declared.Resolves = &lowest
		_, above := declared.Resolved(r)
		l.resolved = append(l.resolved, wrongResolution{err: err, below: above == nil})
	case l.clauses == nil:
		l.clauses = &doc
	}
}

func (l *runLog) run(ctx context.Context, run func(context.Context) (any, error)) (out any, err error) {
	this := &handlerRun{done: make(chan struct{})}
	l.mu.Lock()
	l.runs = append(l.runs, this)
	l.mu.Unlock()
	defer close(this.done)
	if l.cut {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, 0)
		defer end()
	}
	returned := false
	defer func() {
		panicked := recover()
		l.mu.Lock()
		this.ended = true
		this.err = err
		this.panicked = panicked
		this.ctxEnded = ctx.Err() != nil
		this.exited = !returned && panicked == nil
		l.mu.Unlock()
		if panicked != nil {
			panic(panicked) //nolint:forbidigo // the guard contains the handler's panic
		}
	}()
	out, err = run(ctx)
	returned = true
	return out, err
}

// take returns the first resolution and what was wrong with others, and
// forgets them.
func (l *runLog) take() (*contract.Document, []wrongResolution) {
	l.mu.Lock()
	defer l.mu.Unlock()
	clauses, resolved := l.clauses, l.resolved
	l.clauses, l.resolved = nil, nil
	return clauses, resolved
}

// wait waits until every run that has begun is over.
func (l *runLog) wait() {
	l.mu.Lock()
	runs := slices.Clone(l.runs)
	l.mu.Unlock()
	for _, r := range runs {
		<-r.done
	}
}

// runsAfter returns copies of the runs after the first n.
func (l *runLog) runsAfter(n int) []handlerRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	var runs []handlerRun
	for _, r := range l.runs[n:] {
		runs = append(runs, *r)
	}
	return runs
}

func (l *runLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.runs)
}
