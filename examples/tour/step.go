package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
)

// A step is one line of the script.
type step struct {
	title string
	// behind says what the caller cannot see; empty: nothing.
	behind    string
	caller    string
	client    *client.Client
	tool      string // empty: the list
	arguments string
	key       string // the client's idempotency key; empty: none
	// want is what must come out: a code, "ok", or "unknown tool"; of a list,
	// the names.
	want string
	// events is how many audit events belong to the step. Zero means one.
	events int
	// never must not be found in what the caller gets.
	never string
	// before and after are called around the call and may be nil.
	before, after func(context.Context) error
}

// A taken step is what came of one. It is also the form in JSON.
type taken struct {
	Number    int             `json:"step"`
	Title     string          `json:"title"`
	Behind    string          `json:"behind,omitempty"`
	Caller    string          `json:"caller"`
	Tools     []listed        `json:"tools,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Key       string          `json:"idempotencyKey,omitempty"`
	Question  string          `json:"question,omitempty"`
	Status    string          `json:"status"`
	Code      string          `json:"code,omitempty"`
	Class     string          `json:"class,omitempty"`
	Text      string          `json:"text,omitempty"`
	Outcome   json.RawMessage `json:"outcome,omitempty"`
	Audit     []line          `json:"audit,omitempty"`
}

// A listed tool is what a client reads in the list.
type listed struct {
	Name     string            `json:"name"`
	Hints    []string          `json:"hints"`
	Contract contract.Document `json:"contract"`
}

// A line is what the audit hook got, without ids, digests and durations, which
// differ from run to run.
type line struct {
	Event     string `json:"event"`
	Tool      string `json:"tool"`
	Principal string `json:"principal,omitempty"`
	Decision  string `json:"decision"`
	Stage     string `json:"stage"`
	Status    string `json:"status,omitempty"`
	Code      string `json:"code,omitempty"`
	Error     string `json:"error,omitempty"`
	Lost      bool   `json:"lost,omitempty"`
}

// unknownTool is what stands for JSON-RPC's answer to a name that is not there.
const unknownTool = "unknown tool"

// rejectedState is what stands for JSON-RPC's answer to a state that no question
// gave out.
const rejectedState = "rejected state"

// take goes through the steps. The error names every step whose outcome was
// not the expected one.
func take(ctx context.Context, s *set, steps []step) ([]taken, error) {
	var all []taken
	var errs []error
	for i, st := range steps {
		t, err := st.take(ctx, s)
		t.Number = i + 1
		all = append(all, t)
		if err != nil {
			errs = append(errs, fmt.Errorf("step %d, %s: %w", t.Number, st.title, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return all, errors.Join(errs...)
}

func (st step) take(ctx context.Context, s *set) (taken, error) {
	t := taken{Title: st.title, Behind: st.behind, Caller: st.caller, Tool: st.tool, Key: st.key}
	if st.tool == "" {
		return st.list(ctx, t)
	}
	t.Arguments = json.RawMessage(st.arguments)
	if st.before != nil {
		if err := st.before(ctx); err != nil {
			return t, err
		}
	}
	mark := s.journal.mark()
	got, wire, err := st.call(ctx, &t)
	t.Question = s.person.question()
	if st.after != nil {
		err = errors.Join(err, st.after(ctx))
	}
	if err != nil {
		return t, err
	}
	entries, err := s.journal.since(ctx, mark, max(1, st.events))
	if err != nil {
		return t, err
	}
	for _, e := range entries[:max(1, st.events)] {
		t.Audit = append(t.Audit, lineOf(e))
	}
	if got != st.want {
		return t, fmt.Errorf("expected %s, got %s", st.want, got)
	}
	if st.never != "" && strings.Contains(wire, st.never) {
		return t, errors.New("what must not leave the server left it")
	}
	return t, nil
}

// call makes the call, fills in what came of it, and returns that in one word
// and in full.
func (st step) call(ctx context.Context, t *taken) (got, wire string, err error) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: st.tool, Arguments: json.RawMessage(st.arguments)}}
	if st.key != "" {
		request.Params.Meta = &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: st.key}}
	}
	result, err := st.client.CallTool(ctx, request)
	if errors.Is(err, mcp.ErrInvalidParams) {
		t.Status, t.Text = "protocol error -32602", err.Error()
		return unknownTool, err.Error(), nil
	}
	if errors.Is(err, mcp.ErrInternalError) {
		t.Status, t.Text = "protocol error -32603", err.Error()
		return rejectedState, err.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	full, err := json.Marshal(result)
	if err != nil {
		return "", "", err
	}
	for _, c := range result.Content {
		if text, ok := c.(mcp.TextContent); ok {
			t.Text += mask(text.Text)
		}
	}
	outcome, err := outcomeOf(result)
	if err != nil {
		return "", "", err
	}
	t.Status, t.Code = outcome.Status.String(), outcome.Code
	if !outcome.Class.IsZero() {
		t.Class = outcome.Class.String()
	}
	outcome.CallID = "…"
	if delay := time.Duration(outcome.RetryAfterMs) * time.Millisecond; delay > time.Minute { // it depends on the moment
		outcome.RetryAfterMs = delay.Round(time.Minute).Milliseconds()
	}
	if t.Outcome, err = json.Marshal(outcome); err != nil {
		return "", "", err
	}
	return firstOf(outcome.Code, outcome.Status.String()), string(full), nil
}

// outcomeOf reads the outcome in a result's _meta.
func outcomeOf(result *mcp.CallToolResult) (contract.Outcome, error) {
	var outcome contract.Outcome
	if result.Meta == nil {
		return outcome, errors.New("the result has no _meta")
	}
	return outcome, through(result.Meta.AdditionalFields[contract.MetaKeyOutcome], &outcome)
}

// list asks for the tools.
func (st step) list(ctx context.Context, t taken) (taken, error) {
	result, err := st.client.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return t, err
	}
	var names []string
	for _, tool := range result.Tools {
		item := listed{Name: tool.Name, Hints: hints(tool.Annotations)}
		if tool.Meta == nil {
			return t, errors.New("a tool has no _meta")
		}
		if err := through(tool.Meta.AdditionalFields[contract.MetaKeyContract], &item.Contract); err != nil {
			return t, err
		}
		t.Tools, names = append(t.Tools, item), append(names, tool.Name)
	}
	t.Status = "ok"
	if got := strings.Join(names, " "); got != st.want {
		return t, fmt.Errorf("expected the tools %q, got %q", st.want, got)
	}
	return t, nil
}

// hints names the hints that are true.
func hints(a mcp.ToolAnnotation) []string {
	names := []string{}
	for _, h := range []struct {
		name string
		is   *bool
	}{
		{"readOnly", a.ReadOnlyHint}, {"destructive", a.DestructiveHint},
		{"idempotent", a.IdempotentHint}, {"openWorld", a.OpenWorldHint},
	} {
		if h.is != nil && *h.is {
			names = append(names, h.name)
		}
	}
	return names
}

func lineOf(e entry) line {
	l := line{
		Event: e.event.Kind.String(), Tool: e.event.Tool, Principal: e.event.Principal,
		Decision: e.event.Decision.String(), Stage: e.event.Stage, Status: e.event.Status,
		Code: e.event.Code, Error: e.event.Error, Lost: e.lost,
	}
	if e.event.Kind == audit.Intent {
		l.Status = ""
	}
	return l
}

// through reads data of the wire, as the client decoded it, into a type.
func through(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

var random = regexp.MustCompile(`(untrusted-content-|draft_|email_|"dryRunToken":"|Try again in \d+[hm])[-\w]+`)

// mask replaces what is random, or depends on the moment.
func mask(text string) string { return random.ReplaceAllString(text, "${1}…") }

func firstOf(texts ...string) string {
	return texts[slices.IndexFunc(texts, func(s string) bool { return s != "" })]
}
