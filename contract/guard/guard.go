package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
)

// A Guard keeps contracts: every call of a tool that it protects goes through
// its pipeline. Make one with [New], hand it tools with [Guard.Protect], and
// close it when the server ends. A Guard is safe for concurrent use.
type Guard struct {
	config

	digestKey []byte
	recorder  *recorder.Recorder
	authors   contain.Slots // for functions of the server author and of tool authors
	limiting  contain.Slots // for the limiter
	budget    *budget
	ledger    *ledger
	questions openQuestions

	mu       sync.Mutex
	closed   bool
	drained  time.Time      // when the drain time ends; zero until it has begun
	running  map[*call]bool // calls that have a place to run; true while their handlers run on the callers' own goroutines
	calls    sync.WaitGroup // calls that are not answered yet
	handlers sync.WaitGroup // running handlers, which may outlive their calls, and what is still to be recorded
	closing  chan struct{}  // closed when Close begins
	gaveUp   chan struct{}  // closed when Close stops waiting for handlers
}

// New makes a guard. With no options every caller is anonymous and events go to
// the default slog logger.
func New(opts ...Option) (*Guard, error) {
	c, err := newConfig(opts)
	g := &Guard{
		config:    c,
		digestKey: make([]byte, 32),
		recorder:  recorder.New(c.sink),
		authors:   contain.NewSlots(authorCalls, noteAuthor),
		limiting:  contain.NewSlots(authorCalls, noteAuthor),
		budget:    newBudget(c.retries),
		ledger:    newLedger(c.records),
		questions: newOpenQuestions(),
		closing:   make(chan struct{}),
		gaveUp:    make(chan struct{}),
		running:   map[*call]bool{},
	}
	rand.Read(g.digestKey) // never fails
	errs := []error{err, g.ledger.open()}
	if g.limiter == nil {
		limiter, err := ratelimit.NewMemory()
		g.limiter = limiter
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if err := g.attach(); err != nil {
		return nil, err
	}
	return g, nil
}

// DroppedEvents returns how many audit events were lost because the sink
// failed, or because the queue to it was full.
func (g *Guard) DroppedEvents() uint64 { return g.recorder.Dropped() }

// BeginDrain starts the time of [WithDrain], where it has not begun, and returns
// its end. Calls are still taken. A server that finishes what it has read before
// it closes the guard begins here, so that Close waits only for the rest; without
// it Close begins.
func (g *Guard) BeginDrain() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.drained.IsZero() {
		g.drained = time.Now().Add(g.drain)
	}
	return g.drained
}

// answerTime bounds how long Close waits for the calls that it gave up to be
// answered and put on record. It takes no time, but for a handler on its
// caller's goroutine that ignores its context.
const answerTime = time.Second

// Close refuses new calls, waits for running handlers, at most as long as
// [WithDrain] and ctx allow, and then for the audit queue until ctx ends. The
// contexts of handlers that it gave up end, and the audit log has their calls
// with the outcome unknown; their callers are told so, but for those whose own
// goroutine the handler does not leave. The error says what was left behind. Closing twice is no error.
func (g *Guard) Close(ctx context.Context) error {
	g.mu.Lock()
	first := !g.closed
	if first {
		close(g.closing)
	}
	g.closed = true
	g.mu.Unlock()

	limit := g.drain
	if first {
		limit = time.Until(g.BeginDrain())
	}
	err := g.await(ctx, limit, &g.calls, &g.handlers)
	if first {
		close(g.gaveUp)
	}
	if err != nil {
		g.giveUp(ctx)
	}
	return errors.Join(err, g.recorder.Flush(ctx))
}

// await waits for groups until a time or ctx ends.
func (g *Guard) await(ctx context.Context, limit time.Duration, groups ...*sync.WaitGroup) error {
	ended := make(chan struct{})
	go func() {
		for _, group := range groups {
			group.Wait()
		}
		close(ended)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return errors.New("guard: handlers were still running when the drain time ended")
	case <-ctx.Done():
		return fmt.Errorf("guard: handlers were still running: %w", ctx.Err())
	}
}

// giveUp ends the contexts of running handlers and has their calls answered
// and put on record.
func (g *Guard) giveUp(ctx context.Context) {
	for c := range g.stillRunning() {
		c.cancel(errGivenUp)
	}
	_ = g.await(ctx, answerTime, &g.calls) // that handlers were running is said already
	for c, inline := range g.stillRunning() {
		if inline {
			c.abandon()
		}
	}
}

func (g *Guard) stillRunning() map[*call]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.running)
}

// enter counts a call; it reports false, and does not count, once the guard is
// closed.
func (g *Guard) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.calls.Add(1)
	}
	return !g.closed
}

// start counts a handler; it reports false, and does not count, once the guard
// is closed: nothing begins after Close.
func (g *Guard) start(c *call) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.handlers.Add(1)
	g.running[c] = false
	return true
}

// began says that the handler of a call that was counted runs now, and where.
// It reports false once Close has given the running ones up.
func (g *Guard) began(c *call) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.gaveUp:
		return false
	default:
	}
	g.running[c] = !c.isolated
	return true
}

func (g *Guard) end(c *call) {
	g.mu.Lock()
	delete(g.running, c)
	g.mu.Unlock()
	g.handlers.Done()
}
