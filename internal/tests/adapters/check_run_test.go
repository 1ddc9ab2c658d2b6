package adapters_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

// patience is how long the suite waits for one message. An adapter that takes
// longer counts as hanging.
const patience = 10 * time.Second

// A checkRun checks one rule on one wire. Its methods, and those of the
// servers, clients and answers it creates, end the check if the adapter
// violates the rule. They must be called on the check's goroutine.
type checkRun struct {
	Harness
	wire    wire
	failure atomic.Pointer[error]

	// released is closed when the check ends, before its servers end. Handlers
	// that wait for the check also wait for it.
	released chan struct{}

	mu   sync.Mutex
	ends []func()
}

func newTrial(h Harness, w wire) *checkRun {
	h.patience = cmp.Or(h.patience, patience)
	return &checkRun{Harness: h, wire: w, released: make(chan struct{})}
}

// do runs a check and ends everything it started.
func (t *checkRun) do(check func(*checkRun)) error {
	_, violation := rules.Within(maxCheck, func() string { return t.wire.String() + ": the check" }, func() error {
		defer t.end()
		check(t)
		return nil
	})
	if failure := t.failure.Load(); failure != nil {
		return *failure
	}
	return violation
}

// end ends what the check started, in reverse order.
func (t *checkRun) end() {
	close(t.released)
	t.mu.Lock()
	ends := t.ends
	t.ends = nil
	t.mu.Unlock()
	for _, end := range slices.Backward(ends) {
		end()
	}
}

// atEnd schedules a function for the end of the check.
func (t *checkRun) atEnd(end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends = append(t.ends, end)
}

// broken ends the check with a violation.
func (t *checkRun) broken(format string, args ...any) {
	violation := rules.Broken("%s: %s", t.wire, fmt.Sprintf(format, args...))
	t.failure.CompareAndSwap(nil, &violation)
	runtime.Goexit()
}

// expect ends the check unless a condition is met. The text says what the rule
// expects.
func (t *checkRun) expect(ok bool, format string, args ...any) {
	if !ok {
		t.broken("expected "+format, args...)
	}
}

// wait waits for a value from a channel and returns it.
func wait[T any](t *checkRun, c <-chan T, what string) (v T) {
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case v = <-c:
	case <-timer.C:
		t.broken("expected %s within %v", what, t.patience)
	}
	return v
}

// The callers' tokens. The empty token is an anonymous caller's.
const (
	alice   = "alice" // has every permission of the suite's tools
	bob     = "bob"   // has a permission that no tool needs
	nobody  = ""
	forged  = "forged"  // a token that is refused
	offline = "offline" // a token that can't be checked now
)

// The permissions of the suite's tools.
const (
	mayWrite  = "notes:write"
	mayRead   = "keys:read"
	mayBrowse = "notes:browse"
)

// A server is one server of the adapter, with its guard and audit log.
type server struct {
	t        *checkRun
	settings Settings
	log      *audit.Recorder
	web      *web // nil over a stream

	mu      sync.Mutex
	people  map[string]guard.Principal
	current string // the caller on a stream
}

// An option changes how a server is created.
type option func(*serving)

type serving struct {
	settings Settings
	guard    []guard.Option
}

func withGuard(opts ...guard.Option) option {
	return func(s *serving) { s.guard = append(s.guard, opts...) }
}

func withSettings(change func(*Settings)) option {
	return func(s *serving) { change(&s.settings) }
}

// serve starts a server with some tools. It lists names with dots, and whole
// contracts.
func (t *checkRun) serve(tools []*contract.Tool, opts ...option) *server {
	log := &audit.Recorder{}
	s := &server{t: t, log: log, people: map[string]guard.Principal{
		alice: {Issuer: "https://issuer.example", Subject: alice, Permissions: []string{mayWrite, mayRead}},
		bob:   {Issuer: "https://issuer.example", Subject: bob, Permissions: []string{"contacts:read"}},
	}}
	made := &serving{settings: Settings{Version: "1.0.0", Config: adapter.Config{
		Server: "adapters", Tools: tools, Tier: contract.TierFull, Naming: contract.Dotted,
	}}}
	for _, o := range opts {
		o(made)
	}
	s.settings = made.settings
	principal := guard.PrincipalFunc(s.onStream)
	if t.wire.http {
		principal = t.Bearer(s.verify)
		t.expect(principal != nil, "a principal function of Bearer")
	}
	g, err := guard.New(append([]guard.Option{guard.WithPrincipal(principal), guard.WithAudit(log),
		guard.WithLogger(slog.New(slog.DiscardHandler))}, made.guard...)...)
	if err != nil {
		t.broken("the suite cannot make a guard: %v", err)
	}
	s.settings.Guard = g
	t.atEnd(func() { s.close() })
	if t.wire.http {
		handler, err := t.HTTP(s.settings)
		if err != nil || handler == nil {
			t.broken("HTTP returned the error %v", err)
		}
		s.web = newWeb(handler)
		t.atEnd(s.web.close)
	}
	return s
}

var errToken = errors.New("the token is not known")

// verify returns the principal of a token.
func (s *server) verify(_ context.Context, token string) (guard.Principal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == offline {
		return guard.Principal{}, guard.ErrUnavailable
	}
	p, ok := s.people[token]
	if !ok {
		return guard.Principal{}, errToken
	}
	p.Permissions = slices.Clone(p.Permissions)
	return p, nil
}

// onStream returns the principal of a stream's one client.
func (s *server) onStream(ctx context.Context) (guard.Principal, error) {
	s.mu.Lock()
	current := s.current
	s.mu.Unlock()
	if current == nobody {
		return guard.Principal{}, nil
	}
	return s.verify(ctx, current)
}

// allow sets the permissions of a caller.
func (s *server) allow(who string, permissions ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.people[who]
	p.Permissions = permissions
	s.people[who] = p
}

// close closes the guard, which waits for handlers and for the audit log.
func (s *server) close() {
	ctx, cancel := context.WithTimeout(context.Background(), s.t.patience)
	defer cancel()
	_ = s.settings.Guard.Close(ctx)
}

// terminal closes the guard and returns the terminal events.
func (s *server) terminal() []audit.Event {
	s.close()
	return s.log.Events(audit.Terminal)
}

// stream opens a connection to a server of its own with the same settings.
func (s *server) stream() io.ReadWriteCloser {
	conn, err := s.t.Stream(s.settings)
	if err != nil || conn == nil {
		s.t.broken("Stream returned the error %v", err)
	}
	s.t.atEnd(func() { _ = conn.Close() })
	return conn
}
