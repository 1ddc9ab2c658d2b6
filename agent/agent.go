package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/risk"
)

// A Dialer opens sessions with one MCP server. The agent dials once in
// [Connect], and again after a session is lost. A [client.Client] is a Dialer.
//
// An implementation must be safe for concurrent use.
type Dialer interface {
	// Dial opens a session and finishes its handshake. The session declares
	// exactly the capabilities of person, and passes it the server's questions.
	Dial(ctx context.Context, person client.Person) (client.Session, error)
}

// An Agent calls the tools of one server. [Connect] makes one. It is safe for
// concurrent use.
type Agent struct {
	options Options
	dialer  Dialer
	slots   contain.Slots // for functions of the host and the client
	dialing chan struct{} // a lock for dialing that can be awaited with a context
	asking  chan struct{} // a lock for calls of older sessions that may ask a person

	mu       sync.Mutex
	session  *session
	tools    map[string]Tool
	running  map[*exchange]struct{}
	underway map[*call]struct{} // sent, and not settled yet
	chain    risk.Chain         // of the settled calls
	closed   bool
}

var (
	errClosed    = errors.New("agent: the agent is closed")
	errNilOption = errors.New("agent: an option is nil; leave it out")
	errNoDialer  = errors.New("agent: Connect: the dialer is nil; use one such as client.New")
)

// Connect dials a server and lists its tools. The caller must close the agent.
// It returns an error if the dialer fails or the tools can't be listed.
func Connect(ctx context.Context, d Dialer, opts Options) (*Agent, error) {
	if d == nil {
		return nil, errNoDialer
	}
	a := &Agent{
		options: opts, dialer: d, slots: newSlots(), chain: opts.Chain,
		running: map[*exchange]struct{}{}, underway: map[*call]struct{}{},
		dialing: make(chan struct{}, 1), asking: make(chan struct{}, 1),
	}
	a.options.lag = cmp.Or(a.options.lag, shortestLag)
	a.options.Limits = a.options.Limits.effective()
	ctx, cancel := context.WithTimeout(ctx, a.options.Limits.Call)
	defer cancel()
	if err := a.dial(ctx); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
}

// Close ends the session with the server and waits up to 30 seconds for it to
// end. Running calls return an error.
func (a *Agent) Close() error {
	open := a.shut()
	if open == nil {
		return nil
	}
	return a.end(open)
}

// shut marks the agent as closed and ends its requests. It returns the session,
// or nil: closing it can take until the last request has ended, so the caller
// does that outside the lock.
func (a *Agent) shut() *session {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil
	}
	a.closed = true
	for e := range a.running {
		e.cancel(errClosed)
	}
	return a.session
}

// Tools returns all listed tools, sorted by name. It includes the tools that
// the agent refuses to call; see [Tool.Refusal].
func (a *Agent) Tools() []Tool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return sortedTools(a.tools)
}

// Tool returns the tool listed under a name, and whether there is one.
func (a *Agent) Tool(name string) (Tool, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.tools[name]
	return t, ok
}

// Refresh lists the tools again, for example after the server has reported that
// its list changed.
func (a *Agent) Refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.options.Limits.Call)
	defer cancel()
	s, err := a.acquire(ctx)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	defer a.release(s)
	tools, err := a.list(ctx, s)
	if err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tools = tools
	return nil
}

// Call calls a tool and returns its result. The arguments are encoded as JSON;
// a json.RawMessage is sent as it is, and nil means none. They must be an
// object. If the tool has a dry run, the argument "dryRun": true makes only the
// dry run.
//
// The error is a [*RetryError] or a [*FatalError]. If ctx ends before the call
// is known to have had no effect, it is a FatalError with
// [contract.CodeOutcomeUnknown] that wraps the error of ctx.
func (a *Agent) Call(ctx context.Context, tool string, arguments any, opts ...CallOption) (*Result, error) {
	c := &call{agent: a, name: tool}
	for _, o := range opts {
		if o == nil {
			return nil, c.fatal(contract.CodeInvalidInput, errNilOption.Error(), errNilOption)
		}
		o.applyToCall(&c.callConfig)
	}
	var cancel context.CancelFunc
	c.ctx, cancel = context.WithTimeoutCause(ctx, a.options.Limits.Call, errTimeLimit)
	defer cancel()
	r, err := c.start(arguments)
	a.settle(c, r, err)
	return r, err
}

// start prepares the call and makes it.
func (c *call) start(arguments any) (*Result, error) {
	c.began = time.Now()
	if c.sent != nil {
		c.began, c.operation.ID = c.sent.At, c.sent.OperationID
	}
	if err := c.prepare(arguments); err != nil {
		if c.sent != nil && !c.tool.reads() {
			c.lost = true
			return nil, c.outcomeUnknown(err) // of the first attempt
		}
		return nil, err
	}
	return c.run()
}

// Call calls a tool with [Agent.Call] and decodes its structured content into
// Out. If Out is string, a result without structured content yields its text.
// Members that Out lacks are ignored. If the content does not fit Out,
// the error is a [*FatalError] with [contract.CodeOutputInvalid]; the call has
// had its effect.
func Call[Out any](ctx context.Context, a *Agent, tool string, arguments any, opts ...CallOption) (Out, error) {
	var out Out
	r, err := a.Call(ctx, tool, arguments, opts...)
	if err != nil {
		return out, err
	}
	return out, r.decode(&out)
}

func (r *Result) decode(into any) error {
	if text, ok := into.(*string); ok && r.Structured == nil {
		*text = r.Text
		return nil
	}
	if r.Structured == nil {
		return r.invalid("the result has no structured content")
	}
	if err := readStrict(r.Structured, into); err != nil {
		return r.invalid("the structured content does not fit the type of the caller")
	}
	return nil
}
