package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/airline/counter"
	"github.com/toolcontract/toolcontract/examples/airline/desk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// Figures are what the runs add up to. Wrong, Stopped, RunsWithWrong and
// RunsSaved count failed runs only.
type Figures struct {
	Runs              int            `json:"runs"`
	FailedRuns        int            `json:"failedRuns"`
	Executed          int            `json:"executed"` // writes that the desk's own tools accept
	Right             int            `json:"right"`    // of these, those that the benchmark wants
	Wrong             int            `json:"wrong"`
	Stopped           int            `json:"stopped"` // wrong writes that a contract refuses
	StoppedBy         map[string]int `json:"stoppedBy"`
	RightRefused      int            `json:"rightRefused"`
	RightRefusedTasks []int          `json:"rightRefusedTasks"`
	RunsWithWrong     int            `json:"runsWithWrong"`
	RunsSaved         int            `json:"runsSaved"`     // runs all of whose wrong writes are stopped
	TypedFailures     int            `json:"typedFailures"` // calls that the desk's own tools refuse, answered by a declared failure
	SchemaRefused     int            `json:"schemaRefused"`
	Questions         int            `json:"questions"`
	WrongAfterYes     int            `json:"wrongAfterYes"`
	WrongOfRewarded   int            `json:"wrongOfRewarded"`
}

// A replay takes recorded runs through the contracts.
type replay struct {
	data *desk.Data
	each io.Writer // gets a line for each stopped or refused write; nil: nobody does
	Figures
}

// replayAll replays the runs, each on a database of its own.
func replayAll(ctx context.Context, data *desk.Data, runs []run, each io.Writer) (*Figures, error) {
	r := &replay{data: data, each: each, Figures: Figures{StoppedBy: map[string]int{}, RightRefusedTasks: []int{}}}
	for i := range runs {
		if err := r.run(ctx, &runs[i]); err != nil {
			return nil, fmt.Errorf("task %d, trial %d: %w", runs[i].Task, runs[i].Trial, err)
		}
	}
	slices.Sort(r.RightRefusedTasks)
	r.RightRefusedTasks = slices.Compact(r.RightRefusedTasks)
	return &r.Figures, nil
}

// run replays one run.
func (r *replay) run(ctx context.Context, of *run) (err error) {
	s, err := open(ctx, r.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	r.Runs++
	if of.failed() {
		r.FailedRuns++
	}
	gold, said, wrong, stopped := of.Info.Task.Actions, "", 0, 0
	for i, m := range of.Messages {
		if m.Role == "user" {
			said = m.Content
		}
		for _, c := range m.Calls {
			name, arguments := c.Function.Name, []byte(c.Function.Arguments)
			if !s.offers[name] || !json.Valid(arguments) {
				continue
			}
			o, err := s.call(ctx, name, arguments)
			if err != nil {
				return err
			}
			if o.Code == contract.CodeInvalidInput {
				r.SchemaRefused++
			}
			passed := o.Status == contract.StatusOK
			apply := writes[name]
			if apply == nil || !passed && apply(s.desk, arguments) != nil {
				if apply != nil || refusedBefore(of.Messages[i+1:]) {
					r.TypedFailures += typed(&o)
				}
				continue
			}
			isRight := takeGold(&gold, name, arguments)
			r.judge(of, isRight, agrees.MatchString(said), &o)
			if !passed && r.each != nil {
				r.printRefused(of, isRight, &o, name+" "+c.Function.Arguments)
			}
			if !isRight {
				wrong++
			}
			if !isRight && !passed {
				stopped++
			}
		}
	}
	r.Questions += int(s.questions.Load())
	if of.failed() && wrong > 0 {
		r.RunsWithWrong++
		if stopped == wrong {
			r.RunsSaved++
		}
	}
	return nil
}

// judge counts a write that the desk's own tools accept.
func (r *replay) judge(of *run, isRight, afterYes bool, o *contract.Outcome) {
	passed := o.Status == contract.StatusOK
	r.Executed++
	if isRight {
		r.Right++
		if !passed {
			r.RightRefused++
			r.RightRefusedTasks = append(r.RightRefusedTasks, of.Task)
		}
		return
	}
	if afterYes {
		r.WrongAfterYes++
	}
	if !of.failed() {
		r.WrongOfRewarded++
		return
	}
	r.Wrong++
	if !passed {
		r.Stopped++
		r.StoppedBy[clauseOf(o)]++
	}
}

// printRefused prints a write that a contract refuses.
func (r *replay) printRefused(of *run, isRight bool, o *contract.Outcome, call string) {
	_, _ = fmt.Fprintf(r.each, "task %d, trial %d: right %t, by %s: %s, %s\n", of.Task, of.Trial, isRight, clauseOf(o), o.Code, call)
}

// refusedBefore reports whether the next message is an error of a recorded tool.
func refusedBefore(next []message) bool {
	return len(next) > 0 && next[0].Role == "tool" && strings.HasPrefix(next[0].Content, "Error")
}

// typed returns 1 for a failure that a contract declares.
func typed(o *contract.Outcome) int {
	if o.Status == contract.StatusError && clauseOf(o) == "precheck" {
		return 1
	}
	return 0
}

// clauseOf returns the clause that refused a write which the desk accepts.
func clauseOf(o *contract.Outcome) string {
	switch {
	case o.Status == contract.StatusReplayed:
		return "idempotency"
	case o.Code == contract.CodeInvalidInput:
		return "schema"
	case o.Code == contract.CodePermissionDenied:
		return "authorize"
	case o.Code == contract.CodeRetryBudgetExhausted:
		return "retryBudget"
	}
	return "precheck"
}

// A session is a desk, its tools under a guard, and a client whose person says
// yes to everything.
type session struct {
	desk      *desk.Desk
	guard     *guard.Guard
	client    *client.Client
	offers    map[string]bool
	questions atomic.Int64
}

func open(ctx context.Context, data *desk.Data) (*session, error) {
	s := &session{desk: desk.New(data), offers: map[string]bool{}}
	tools, err := (&counter.Counter{Desk: s.desk, Now: counter.Opening}).Tools()
	if err != nil {
		return nil, err
	}
	agent := guard.Principal{Issuer: "airline", Subject: "agent", Permissions: contract.PermissionsOf(tools...)}
	s.guard, err = guard.New(guard.WithAudit(&audit.Recorder{}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return agent, nil })))
	if err != nil {
		return nil, err
	}
	server, err := mcpgo.NewServer("airline", "1.0.0", s.guard, mcpgo.WithTools(tools...))
	if err != nil {
		return nil, err
	}
	s.client, err = client.NewInProcessClientWithOptions(server, client.WithElicitationHandler(s))
	if err != nil {
		return nil, err
	}
	if err := s.client.Start(ctx); err != nil {
		return nil, err
	}
	_, err = s.client.Initialize(ctx, mcp.InitializeRequest{
		Params: mcp.InitializeParams{ClientInfo: mcp.Implementation{Name: "replay", Version: "1.0.0"}},
	})
	for _, t := range tools {
		s.offers[t.Name()] = true
	}
	return s, err
}

func (s *session) close(ctx context.Context) error {
	return errors.Join(s.client.Close(), s.guard.Close(ctx))
}

// Elicit implements mcp-go's handler for questions.
func (s *session) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	s.questions.Add(1)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true},
	}}, nil
}

// call calls a tool and returns the outcome.
func (s *session) call(ctx context.Context, name string, arguments []byte) (contract.Outcome, error) {
	var o contract.Outcome
	params := mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)}
	result, err := s.client.CallTool(ctx, mcp.CallToolRequest{Params: params})
	if err != nil {
		return o, err
	}
	raw, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	if err != nil {
		return o, err
	}
	return o, json.Unmarshal(raw, &o)
}

// print writes the figures for people.
func (f *Figures) print(w io.Writer) {
	line := func(n int, what string) { fmt.Fprintf(w, "%5d  %s\n", n, what) }
	line(f.Runs, "runs")
	line(f.FailedRuns, "of them failed")
	line(f.Executed, "writes that the desk's own tools accept")
	line(f.Right, "of them right: equal to an action that the benchmark wants")
	line(f.RightRefused, fmt.Sprintf("of these refused (tasks %v)", f.RightRefusedTasks))
	line(f.Wrong, "wrong, in failed runs")
	line(f.Stopped, "of these stopped")
	for _, clause := range slices.Sorted(maps.Keys(f.StoppedBy)) {
		line(f.StoppedBy[clause], "  by "+clause)
	}
	line(f.WrongOfRewarded, "wrong, in the other runs")
	line(f.WrongAfterYes, "wrong writes, in all runs, before which the customer's last message matches "+agrees.String())
	line(f.RunsWithWrong, "failed runs with a wrong write")
	line(f.RunsSaved, "of them without one that was not stopped")
	line(f.TypedFailures, "calls that the desk's own tools refuse, answered by a declared failure")
	line(f.SchemaRefused, "calls that a schema refuses")
	line(f.Questions, "questions to a person")
}
