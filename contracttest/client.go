package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Client calls tools under a guard, within the test's own process and without
// a transport. The guard enforces the same things as on a server: arguments,
// permissions, questions to people, limits, deduplication and results.
//
//	c := contracttest.NewClient(t, tools)
//	anna := c.As(contract.Principal{Subject: "anna", Permissions: []string{"emails:send"}})
//	r := anna.Answering(contracttest.Approve).Call("emails.send", SendInput{To: "ben@example.org"})
//
// [NewClient] creates one. [Client.As], [Client.Answering] and [Client.WithKey]
// return clients with the same guard and store, and leave their receiver as it
// is. A Client is safe for concurrent use, but its methods that fail the test
// must run on the test's goroutine.
type Client struct {
	*server

	principal contract.Principal
	person    Person
	key       *string
}

// A server is what all clients of one test share.
type server struct {
	t      testing.TB
	guard  *guard.Guard
	tools  *guard.Toolset
	events *audit.Recorder
	closed sync.Once
}

// serverName identifies the server to the guard, which binds answers to it.
const serverName = "contracttest"

// NewClient returns a client of the tools. It is anonymous, and cannot ask a
// person. Without options, records are kept in memory and audit events in a
// recorder; see [Client.Close]. Options such as guard.WithStore and
// guard.WithAudit replace these. Do not pass guard.WithPrincipal: use
// [Client.As] to set the principal. A tool or an option that the guard refuses
// fails the test. The guard is closed when the test ends.
func NewClient(t testing.TB, tools []*contract.Tool, opts ...guard.Option) *Client {
	t.Helper()
	s := &server{t: t, events: &audit.Recorder{}}
	all := slices.Concat(opts, []guard.Option{guard.WithPrincipal(guard.PrincipalFunc(principalOf)), guard.WithAudit(s.events)})
	g, err := guard.New(all...)
	if errors.Is(err, exchange.ErrTwoSinks) { // the options already set a sink
		g, err = guard.New(all[:len(all)-1]...)
	}
	if err != nil {
		t.Fatalf("contracttest: %v", err)
	}
	s.guard = g
	t.Cleanup(func() { s.close(context.WithoutCancel(t.Context())) })
	if s.tools, err = g.Protect(tools...); err != nil {
		t.Fatalf("contracttest: %v", err)
	}
	return &Client{server: s}
}

// As returns a client that calls on behalf of p.
func (c *Client) As(p contract.Principal) *Client {
	other := *c
	other.principal = p
	return &other
}

// Answering returns a client that puts each question to person: those of the
// guard and, for [contract.Ask] and [contract.Sample], those of the handler. If
// person is nil, the client cannot ask anyone.
//
// The guard remembers a declined question, and refuses an equal call without
// asking again. To avoid that, pass guard.WithTimes with a short DeclineMemory
// to [NewClient], or create a client for each case.
func (c *Client) Answering(person Person) *Client {
	other := *c
	other.person = person
	return &other
}

// WithKey returns a client that sends the idempotency key with every call.
func (c *Client) WithKey(key string) *Client {
	other := *c
	other.key = &key
	return &other
}

// Call calls a tool. The input is encoded as JSON, like the output of a tool. A
// json.RawMessage is sent as it is, and nil means no arguments. A failed call
// has a [Result] too. The test fails if there is no result, for example because
// there is no such tool; see [Client.Try].
func (c *Client) Call(tool string, input any) *Result {
	c.t.Helper()
	r, err := c.Try(tool, input)
	return c.must(tool, r, err)
}

// Try is [Client.Call] for calls that may have no result. The error is
// [guard.ErrUnknownTool] if no tool has the name, or if an agent calls a tool
// whose risk is forbidden. It can also come from encoding the input. A caller
// without the permissions gets a Result with the code permission_denied.
func (c *Client) Try(tool string, input any) (*Result, error) {
	arguments, err := encodeInput(input)
	if err != nil {
		return nil, err
	}
	return c.send(tool, arguments)
}

// Preview makes a dry run of a call: it adds dryRun to the arguments. It fails
// the test in the same cases as [Client.Call].
func (c *Client) Preview(tool string, input any) *Result {
	c.t.Helper()
	arguments, err := encodeInput(input)
	if err != nil {
		return c.must(tool, nil, err)
	}
	r, err := c.sendWith(tool, arguments, "dryRun", true)
	return c.must(tool, r, err)
}

// Commit makes the call that was previewed, with the preview's token if it has
// one. The client need not be the one that made the preview. The test fails if
// the result is not a preview.
func (c *Client) Commit(preview *Result) *Result {
	c.t.Helper()
	if preview.Outcome.Status != contract.StatusDryRun {
		c.t.Fatalf("contracttest: commit of %s: the result is not a preview: %s", preview.tool, preview.Text)
	}
	token := preview.dryRunToken()
	if token == "" {
		r, err := c.send(preview.tool, preview.arguments)
		return c.must(preview.tool, r, err)
	}
	r, err := c.sendWith(preview.tool, preview.arguments, "dryRunToken", token)
	return c.must(preview.tool, r, err)
}

// must fails the test if a call has no result.
func (c *Client) must(tool string, r *Result, err error) *Result {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("contracttest: call of %s: %v", tool, err)
	}
	return r
}

// sendWith makes a call with one extra member among its arguments.
func (c *Client) sendWith(tool string, arguments json.RawMessage, name string, value any) (*Result, error) {
	members := map[string]any{}
	if len(arguments) > 0 {
		var own map[string]json.RawMessage // as written, with exact numbers
		if err := json.Unmarshal(arguments, &own); err != nil {
			return nil, fmt.Errorf("the input is not an object: %w", err)
		}
		for member, raw := range own {
			members[member] = raw
		}
	}
	members[name] = value
	all, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	r, err := c.send(tool, all)
	if err != nil {
		return nil, err
	}
	r.arguments = arguments
	return r, nil
}

// send makes one call through the pipeline.
func (c *Client) send(tool string, arguments json.RawMessage) (*Result, error) {
	var asked conversation
	req := exchange.Request{Tool: tool, Arguments: arguments, IdempotencyKey: c.key, Server: serverName}
	if c.person != nil {
		req.Ask = asked.with(c.person)
		req.TakesInput = func(json.RawMessage) bool { return true }
	}
	result, err := exchange.Of(c.tools).Call(c.context(), req)
	for err == nil && result.Requests != nil {
		req.State = result.State
		if req.Answers, err = asked.answers(result.Requests, c.person); err == nil {
			result, err = exchange.Of(c.tools).Call(c.context(), req)
		}
	}
	if err != nil {
		return nil, err
	}
	return &Result{
		Text: result.Text, Content: result.Content, Structured: result.Structured, IsError: result.IsError,
		Outcome: result.Outcome, Meta: result.Meta, Questions: asked.questions(), tool: tool, arguments: arguments,
	}, nil
}

func (c *Client) context() context.Context {
	return context.WithValue(c.t.Context(), principalKey{}, c.principal)
}

// Tools returns the sorted names of the tools that the principal sees in the
// list.
func (c *Client) Tools() []string {
	return slices.Sorted(maps.Keys(c.tools.Visible(c.context())))
}

// Close closes the guard for all clients and returns the audit events of all
// calls. They are complete only then, because the guard writes most of them
// after it has answered. There are none if an option set another sink. Further
// calls fail with the code unavailable.
func (c *Client) Close() []audit.Event {
	c.t.Helper()
	c.close(c.t.Context())
	return c.events.Events()
}

// close closes the guard once. A handler that is still running, or a lost
// event, fails the test.
func (s *server) close(ctx context.Context) {
	s.t.Helper()
	s.closed.Do(func() {
		if err := s.guard.Close(ctx); err != nil {
			s.t.Errorf("contracttest: %v", err)
		}
	})
}

type principalKey struct{}

// principalOf is the guard's principal function.
func principalOf(ctx context.Context) (contract.Principal, error) {
	p, ok := ctx.Value(principalKey{}).(contract.Principal)
	if !ok {
		return p, errors.New("contracttest: the call was not made by a Client")
	}
	return p, nil
}

func encodeInput(input any) (json.RawMessage, error) {
	switch raw, isRaw := input.(json.RawMessage); {
	case isRaw:
		return raw, nil
	case input == nil:
		return nil, nil
	}
	data, err := jsonv2.Marshal(input, strictjson.Options())
	if err != nil {
		return nil, fmt.Errorf("the input cannot be encoded: %w", err)
	}
	return data, nil
}
