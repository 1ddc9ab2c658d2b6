package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/client"

	"github.com/toolcontract/toolcontract/audit"
)

// A step is one call or one list of the tour.
type step struct {
	theme theme
	title string
	// behind describes a cause that the caller cannot see. It may be empty.
	behind    string
	caller    string
	client    *client.Client
	tool      string // empty means the list
	arguments string
	key       string // the client's idempotency key; may be empty
	// want is the expected outcome: a code, a status, unknownTool or
	// rejectedState. For a list it has the names of the tools.
	want string
	// events is the number of audit events. Zero means one.
	events int
	// never is a text that the answer must not contain.
	never string
	// before and after run around the call. They may be nil.
	before, after func(context.Context) error
}

// A stepResult is the result of one step. Its JSON is the output of -json.
type stepResult struct {
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

// A line is an audit event without ids, digests and durations, which differ in
// each run.
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

// runSteps makes the steps of a theme, or all if it is empty. Each step has the
// number that it has in the whole tour. The error names every step whose
// outcome was not the expected one.
func runSteps(ctx context.Context, s *setup, steps []step, only theme) ([]stepResult, error) {
	var all []stepResult
	var errs []error
	for i, st := range steps {
		if only != "" && st.theme != only {
			continue
		}
		t, err := st.run(ctx, s)
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

func (st step) run(ctx context.Context, s *setup) (stepResult, error) {
	t := stepResult{Title: st.title, Behind: st.behind, Caller: st.caller, Tool: st.tool, Key: st.key}
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
	records, err := s.journal.since(ctx, mark, max(1, st.events))
	if err != nil {
		return t, err
	}
	for _, e := range records[:max(1, st.events)] {
		t.Audit = append(t.Audit, lineOf(e))
	}
	if got != st.want {
		return t, fmt.Errorf("expected %s, got %s", st.want, got)
	}
	if st.never != "" && strings.Contains(wire, st.never) {
		return t, errors.New("the answer contains a text that must not leave the server")
	}
	return t, nil
}

func lineOf(e record) line {
	l := line{
		Event: string(e.event.Kind), Tool: e.event.Tool, Principal: e.event.Principal,
		Decision: string(e.event.Decision), Stage: e.event.Stage, Status: e.event.Status,
		Code: e.event.Code, Error: e.event.Error, Lost: e.lost,
	}
	if e.event.Kind == audit.Intent {
		l.Status = ""
	}
	return l
}

// decodeInto converts generic JSON values into a type.
func decodeInto(from, into any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
