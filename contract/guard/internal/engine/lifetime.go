package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/internal/workers"
)

// answerTime bounds how long Close waits for the calls that it gave up, until
// they are answered and in the audit log. Only a handler on its caller's
// goroutine that ignores its context takes this long.
const answerTime = time.Second

// A lifetime counts the calls and handlers that Close waits for.
type lifetime struct {
	mu      sync.RWMutex // for closed and drained
	closed  bool
	drained time.Time // when the drain time ends; zero until it has begun

	runningMu sync.Mutex     // for running; it may be locked while mu is locked, never the reverse
	running   map[*slot]bool // the taken slots; true while a handler runs on its caller's own goroutine
	calls     sync.WaitGroup // calls that are not answered yet
	handlers  sync.WaitGroup // running handlers, which may outlive their calls, and retried writes
	closing   chan struct{}  // closed when Close begins
	gaveUp    chan struct{}  // closed when Close stops waiting for handlers
	workers   workers.Pool   // run the functions that must not run on the goroutine of a call
}

func newLifetime() lifetime {
	return lifetime{running: map[*slot]bool{}, closing: make(chan struct{}), gaveUp: make(chan struct{})}
}

// close reports whether this is the first Close.
func (l *lifetime) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.closed
	if first {
		close(l.closing)
	}
	l.closed = true
	return first
}

// hasGivenUp reports whether Close has stopped waiting for handlers.
func (l *lifetime) hasGivenUp() bool {
	select {
	case <-l.gaveUp:
		return true
	default:
		return false
	}
}

// await waits for groups until a time or ctx ends.
func await(ctx context.Context, limit time.Duration, groups ...*sync.WaitGroup) error {
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

// giveUp ends the contexts of running handlers, answers their calls and writes
// them to the audit log.
func (l *lifetime) giveUp(ctx context.Context) {
	for s := range l.stillRunning() {
		s.ctx.End(errGivenUp)
	}
	_ = await(ctx, answerTime, &l.calls) // Close already returns that handlers were running
	for s, inline := range l.stillRunning() {
		if inline {
			s.of.abandon()
		}
	}
}

func (l *lifetime) stillRunning() map[*slot]bool {
	l.runningMu.Lock()
	defer l.runningMu.Unlock()
	return maps.Clone(l.running)
}

// enter counts a call. Once the guard is closed, it counts nothing and reports
// false.
func (l *lifetime) enter() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closed {
		l.calls.Add(1)
	}
	return !l.closed
}

// start counts a handler. Once the guard is closed, it counts nothing and
// reports false.
func (l *lifetime) start(s *slot) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return false
	}
	l.handlers.Add(1)
	l.runningMu.Lock()
	defer l.runningMu.Unlock()
	l.running[s] = false
	return true
}

// began records that the handler of a slot runs now, and where. It reports
// false once Close has given up the running handlers.
func (l *lifetime) began(s *slot) bool {
	l.runningMu.Lock()
	defer l.runningMu.Unlock()
	if l.hasGivenUp() {
		return false
	}
	l.running[s] = !s.isolated
	return true
}

func (l *lifetime) end(s *slot) {
	l.runningMu.Lock()
	delete(l.running, s)
	l.runningMu.Unlock()
	l.handlers.Done()
}
