package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/immediate"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/workers"
)

// A Guard enforces contracts: every call of a tool that it protects goes
// through its pipeline. Make one with [New], give it tools with
// [Guard.Protect], and close it when the server ends. A Guard is safe for
// concurrent use.
type Guard struct {
	settings
	lifetime
	callers

	pipeline []stage // that Protect chooses from
	// namesServer means that other servers may have the keys, and that only the
	// name in a request distinguishes the servers.
	namesServer bool
	digests     *keyring.MAC // of arguments, for the audit log
	recorder    *recorder.Recorder
	authors     contain.Slots // for functions of the server author and of tool authors
	limiting    contain.Slots // for the limiter
	ledger      *ledger.Ledger
	records
	desk       *consent.Desk
	once       loggedOnce
	panics     panicLog
	retrySlots chan struct{} // one for each call whose failed write is retried
}

// records holds the kinds of records that this package seals itself.
type records struct {
	results    ledger.Record[storedResult]
	unresolved ledger.Record[[]byte]
	rounds     ledger.Record[handlerRound]
}

// New makes a guard. Without options every caller is anonymous, and events go
// to the default slog logger.
func New(opts ...Option) (*Guard, error) {
	c, err := newConfig(opts)
	errs := []error{err}
	g := &Guard{
		settings:   c.settings,
		lifetime:   newLifetime(),
		pipeline:   stages(),
		retrySlots: make(chan struct{}, recordRetries),
	}
	g.recorder = recorder.New(c.sink, g.panicked, g.reportLoss, g.audited())
	g.authors = contain.NewSlots(authorCalls, noteAuthor, g.panicked).On(&g.workers)
	g.limiting = contain.NewSlots(authorCalls, noteAuthor, g.panicked).On(&g.workers)
	g.callers.immediate = immediate.Is(c.principal)
	c.records.Panicked, c.records.Patient, c.records.Observe = g.panicked, c.failOpen, g.stored()
	digestKey := make([]byte, 32)
	rand.Read(digestKey) // never fails
	g.digests = keyring.NewMAC(digestKey)
	g.ledger, err = ledger.Open(c.records)
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if c.records.Keys != nil && g.ledger.IsLocal() {
		g.log().Warn("toolcontract: the sealing keys outlive the store, which is in the memory of this process: " +
			"after a restart every question, approval, preview and outcome from before is forgotten; pass guard.WithStore to guard.New")
	}
	g.namesServer = c.records.Keys != nil && c.records.Namespace == ""
	g.results = ledger.RecordOf[storedResult](g.ledger, ledger.Results, strictjson.Unmarshal)
	g.rounds = ledger.RecordOf[handlerRound](g.ledger, ledger.Rounds, strictjson.Unmarshal)
	g.unresolved = ledger.RecordOf[[]byte](g.ledger, ledger.Unresolved, strictjson.Unmarshal)
	g.desk = g.newDesk()
	if err := errors.Join(g.attach(), g.attachObserver()); err != nil {
		return nil, err
	}
	return g, nil
}

// DroppedEvents returns how many audit events were lost, because the sink
// failed, hung or was too slow, or because the guard was closed.
func (g *Guard) DroppedEvents() uint64 { return uint64(g.recorder.Lost()) }

// answerTime bounds how long Close waits for the calls that it gave up, until
// they are answered and in the audit log. Only a handler on its caller's
// goroutine that ignores its context takes this long.
const answerTime = time.Second

// Close refuses new calls, waits for running handlers, at most as long as
// [WithDrain] and ctx allow, and then for the audit queue until ctx ends. It
// ends the contexts of the handlers that it gave up, and writes their calls to
// the audit log with the outcome unknown. Their callers get outcome_unknown,
// unless the handler still blocks the caller's goroutine. The error names the
// handlers and events that were left behind. If events were lost at any time,
// it is, or wraps, an [*AuditLossError]. Closing twice is not an error of its
// own.
func (g *Guard) Close(ctx context.Context) error {
	first := g.close()
	limit := g.drain
	if first {
		limit = time.Until(g.beginDrain())
	}
	err := await(ctx, limit, &g.calls, &g.handlers)
	if first {
		close(g.gaveUp)
	}
	if err != nil {
		g.giveUp(ctx)
	}
	err = errors.Join(err, g.recorder.Flush(ctx))
	g.flushPanics(ctx)
	g.detachObserver(ctx)
	g.workers.Close()
	return errors.Join(err, g.auditLoss())
}

// beginDrain starts the drain time, unless it has begun, and returns its end.
func (g *Guard) beginDrain() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.drained.IsZero() {
		g.drained = time.Now().Add(g.drain)
	}
	return g.drained
}

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
	detach    func()         // ends the observer; nil: there is none
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
