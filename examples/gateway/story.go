package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// A story is a run of the example: three cycles, with calls between them.
type story struct {
	out       io.Writer // nil: the story only collects the rows
	rows      []catalog.Row
	questions atomic.Int64 // that the person of the client has answered
	changed   string       // the digest of the definition that has changed
}

// caller is the principal on whose behalf the client calls.
var caller = guard.Principal{
	Issuer: "example", Subject: "alice",
	Permissions: []string{
		"gateway:call", "alerts:publish", "contacts:read", "emails:draft", "emails:send", "files:read", "files:share", "accounts:admin",
	},
}

// run runs all cycles.
func (s *story) run(ctx context.Context, behind *servers) error {
	if err := s.first(ctx, behind); err != nil {
		return err
	}
	return s.second(ctx, behind)
}

// first has the first two cycles.
func (s *story) first(ctx context.Context, behind *servers) error {
	return s.serve(ctx, behind, "", func(e *endpoint, call callFunc) error {
		s.say("The guard asks, limits and deduplicates also for servers that know nothing about contracts.")
		alert := map[string]any{"region": "north", "text": "Storm tonight."}
		for _, c := range []struct {
			tool      string
			arguments map[string]any
		}{
			{"contacts_search", map[string]any{"query": "anna"}},
			{"alerts_publish", alert},
			{"alerts_publish", alert},
			{"forecast_get", map[string]any{"region": "north"}},
			{"forecast_get", map[string]any{"region": "south"}},
			{"forecast_get", map[string]any{"region": "west"}},
			{"notes_list", map[string]any{}},
			{"notes_delete", map[string]any{"title": "Milk"}},
			{"notes_dump", map[string]any{}},
		} {
			if err := call(c.tool, c.arguments); err != nil {
				return err
			}
		}

		s.say("The notes server now declares that deleting only reads.")
		if err := declareNotes(behind.notes(), "read-only"); err != nil {
			return err
		}
		cycle, err := e.refresh(ctx)
		if err != nil {
			return err
		}
		s.cycle(cycle)
		return call("notes_delete", map[string]any{"title": "Bread"})
	})
}

// second has the third cycle, of another process of the gateway: only the state
// file remembers what was seen.
func (s *story) second(ctx context.Context, behind *servers) error {
	s.say("The operator records a decision, and the gateway starts again.")
	return s.serve(ctx, behind, s.changed, func(_ *endpoint, call callFunc) error {
		return call("notes_delete", map[string]any{"title": "Bread"})
	})
}

// A callFunc calls a tool of the gateway and prints the outcome.
type callFunc func(tool string, arguments map[string]any) error

// serve opens the gateway, prints its cycle, and runs a part of the story with
// a client whose person agrees to everything.
func (s *story) serve(ctx context.Context, behind *servers, digest string, part func(*endpoint, callFunc) error) (err error) {
	g, err := guard.New(
		guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return caller, nil })))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close(context.WithoutCancel(ctx))) }()
	e, cycle, err := open(ctx, behind, digest, g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.gateway.Close()) }()
	s.cycle(cycle)
	c, err := client.NewInProcessClientWithOptions(e.server, client.WithElicitationHandler(s))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.Start(ctx); err != nil {
		return err
	}
	if _, err := c.Initialize(ctx, mcp.InitializeRequest{
		Params: mcp.InitializeParams{ClientInfo: mcp.Implementation{Name: "agent", Version: "1.0.0"}},
	}); err != nil {
		return err
	}
	return part(e, func(tool string, arguments map[string]any) error { return s.call(ctx, c, tool, arguments) })
}

// Elicit implements mcp-go's handler for questions.
func (s *story) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	s.questions.Add(1)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

// call calls a tool and prints the outcome.
func (s *story) call(ctx context.Context, c *client.Client, tool string, arguments map[string]any) error {
	before := s.questions.Load()
	result, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: arguments}})
	if err != nil {
		s.say("  %-16s the tool does not exist", tool)
		return nil //nolint:nilerr // the client reports an unknown tool as an error
	}
	raw, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	if err != nil {
		return err
	}
	var outcome contract.Outcome
	if err := json.Unmarshal(raw, &outcome); err != nil {
		return err
	}
	told := strings.TrimSpace(outcome.Status.String() + " " + outcome.Code)
	if s.questions.Load() > before {
		told += ", after a person agreed"
	}
	s.say("  %-16s %s", tool, told)
	return nil
}

// cycle keeps the facts of a cycle, and prints what needs the operator.
func (s *story) cycle(c catalog.Cycle) {
	rows := c.Rows()
	s.rows = append(s.rows, rows...)
	s.say("Cycle %d", c.Number)
	for _, r := range rows {
		if r.Flag != "" || r.Declared != r.Effective {
			s.say("  %-16s %-13s %s instead of %s, by %s %s", r.Tool, r.Fact, r.Effective, cmp.Or(r.Declared, "none"), r.Origin, r.Flag)
		}
	}
	for _, change := range c.Changes {
		if change.Kind != "redefined" {
			continue
		}
		s.say("  The definition of %s has changed:", change.Tool)
		for _, d := range change.Diff {
			s.say("    %s", d)
		}
		s.changed = change.To
	}
}

func (s *story) say(format string, values ...any) {
	if s.out != nil {
		fmt.Fprintln(s.out, strings.TrimRight(fmt.Sprintf(format, values...), " "))
	}
}
