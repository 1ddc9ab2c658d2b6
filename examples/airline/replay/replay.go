package main

import (
	"cmp"
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
	StoppedAfterYes   int            `json:"stoppedAfterYes"`
	Refused           []Refused      `json:"refused"` // by code: stopped writes, and right ones
	Passed            map[string]int `json:"passed"`  // the other wrong writes, by how they differ from what the benchmark wants
	RightRefused      int            `json:"rightRefused"`
	RightRefusedTasks []int          `json:"rightRefusedTasks"`
	RunsWithWrong     int            `json:"runsWithWrong"`
	RunsSaved         int            `json:"runsSaved"`     // runs all of whose wrong writes are stopped
	TypedFailures     int            `json:"typedFailures"` // calls that the desk's own tools refuse, answered by a declared failure
	SchemaRefused     int            `json:"schemaRefused"` // also calls of no tool, or without readable arguments
	Questions         int            `json:"questions"`
	QuestionsInVain   int            `json:"questionsInVain"` // questions about a call that failed after the yes
	WrongAfterYes     int            `json:"wrongAfterYes"`
	WrongOfRewarded   int            `json:"wrongOfRewarded"`
	RewardedRefused   int            `json:"rewardedRefused"` // runs with reward 1 in which a contract refused a write
}

// Refused counts the writes that were refused with one code.
type Refused struct {
	Code   string `json:"code"`
	Right  bool   `json:"right"` // right writes of all runs; otherwise wrong ones of failed runs
	Writes int    `json:"writes"`
	Tasks  []int  `json:"tasks"`
}

// A replay takes recorded runs through the contracts.
type replay struct {
	data *desk.Data
	each io.Writer // gets a line for each write that is wrong or refused; nil: none
	Figures
}

// replayAll replays the runs, each on a database of its own.
func replayAll(ctx context.Context, data *desk.Data, runs []run, each io.Writer) (*Figures, error) {
	r := &replay{data: data, each: each, Figures: Figures{
		StoppedBy: map[string]int{}, Refused: []Refused{}, Passed: map[string]int{}, RightRefusedTasks: []int{},
	}}
	for i := range runs {
		if err := r.run(ctx, &runs[i]); err != nil {
			return nil, fmt.Errorf("task %d, trial %d: %w", runs[i].Task, runs[i].Trial, err)
		}
	}
	slices.Sort(r.RightRefusedTasks)
	r.RightRefusedTasks = slices.Compact(r.RightRefusedTasks)
	slices.SortStableFunc(r.Refused, func(a, b Refused) int { return strings.Compare(a.Code, b.Code) })
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
	gold, said := of.Info.Task.Actions, ""
	var accepted []write
	for i, m := range of.Messages {
		if m.Role == "user" {
			said = m.Content
		}
		for _, c := range m.Calls {
			name, arguments := c.Function.Name, []byte(c.Function.Arguments)
			if name == "think" { // the desk has no such tool, and nothing changes
				continue
			}
			if !s.offers[name] || json.Unmarshal(arguments, &map[string]any{}) != nil {
				r.SchemaRefused++
				continue
			}
			before := s.questions.Load()
			o, err := s.call(ctx, name, arguments)
			if err != nil {
				return fmt.Errorf("message %d, call of %s: %w", i, name, err)
			}
			passed, apply := o.Status == contract.StatusOK, writes[name]
			if !passed {
				r.QuestionsInVain += int(s.questions.Load() - before)
			}
			if o.Code == contract.CodeInvalidInput {
				r.SchemaRefused++
			}
			if apply == nil || !passed && apply(s.desk, arguments) != nil {
				if apply != nil || refusedBefore(of.Messages[i+1:]) {
					r.TypedFailures += typed(&o)
				}
				continue
			}
			w := write{call: name + " " + c.Function.Arguments, afterYes: agrees.MatchString(said), outcome: o, passed: passed}
			if !takeGold(&gold, name, arguments) {
				w.differs = difference(of.Info.Task.Actions, name, arguments)
			}
			accepted = append(accepted, w)
		}
	}
	r.Questions += int(s.questions.Load())
	r.judgeAll(of, accepted)
	return nil
}

// A write is a call that the desk's own tools accept.
type write struct {
	call     string // name and arguments
	differs  string // from what the benchmark wants; empty: the write is right
	afterYes bool
	passed   bool // the contract, too
	outcome  contract.Outcome
}

// code returns the code with which the contract refused the write.
func (w *write) code() string { return cmp.Or(w.outcome.Code, w.outcome.Status.String()) }

// judgeAll counts the run and its writes.
func (r *replay) judgeAll(of *run, accepted []write) {
	isRefused := func(w write) bool { return !w.passed }
	isWrong := func(w write) bool { return w.differs != "" }
	for i := range accepted {
		r.judge(of, &accepted[i])
	}
	switch {
	case !of.failed():
		if slices.ContainsFunc(accepted, isRefused) {
			r.RewardedRefused++
		}
	case slices.ContainsFunc(accepted, isWrong):
		r.RunsWithWrong++
		if !slices.ContainsFunc(accepted, func(w write) bool { return isWrong(w) && w.passed }) {
			r.RunsSaved++
		}
	}
}

// judge counts a write.
func (r *replay) judge(of *run, w *write) {
	r.Executed++
	if r.each != nil && (w.differs != "" || !w.passed) {
		r.printWrite(of, w)
	}
	switch {
	case w.differs == "":
		r.Right++
		if !w.passed {
			r.RightRefused++
			r.RightRefusedTasks = append(r.RightRefusedTasks, of.Task)
			r.refuse(w.code(), true, of.Task)
		}
		return
	case w.afterYes:
		r.WrongAfterYes++
	}
	switch {
	case !of.failed():
		r.WrongOfRewarded++
		return
	case w.passed:
		r.Passed[w.differs]++
	default:
		r.Stopped++
		r.StoppedBy[clauseOf(&w.outcome)]++
		r.refuse(w.code(), false, of.Task)
		if w.afterYes {
			r.StoppedAfterYes++
		}
	}
	r.Wrong++
}

// refuse counts a write by its code and task.
func (r *replay) refuse(code string, isRight bool, task int) {
	i := slices.IndexFunc(r.Refused, func(f Refused) bool { return f.Code == code && f.Right == isRight })
	if i < 0 {
		i = len(r.Refused)
		r.Refused = append(r.Refused, Refused{Code: code, Right: isRight})
	}
	f := &r.Refused[i]
	f.Writes++
	if at, found := slices.BinarySearch(f.Tasks, task); !found {
		f.Tasks = slices.Insert(f.Tasks, at, task)
	}
}

// printWrite prints a write that is wrong or refused.
func (r *replay) printWrite(of *run, w *write) {
	is, became := "right", "passes"
	if w.differs != "" {
		is = "wrong (" + w.differs + ")"
	}
	if !w.passed {
		became = "refused by " + clauseOf(&w.outcome) + ", " + w.code()
	}
	_, _ = fmt.Fprintf(r.each, "task %d, trial %d, reward %g: %s, %s: %s\n", of.Task, of.Trial, of.Reward, is, became, w.call)
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
	line(f.StoppedAfterYes, "  after the customer had said yes")
	for _, of := range f.Refused {
		line(of.Writes, fmt.Sprintf("  refused with %s in tasks %v, right: %t", of.Code, of.Tasks, of.Right))
	}
	for _, differs := range slices.Sorted(maps.Keys(f.Passed)) {
		line(f.Passed[differs], "of these passed, differing from the wanted call in: "+differs)
	}
	line(f.WrongOfRewarded, "wrong, in the other runs")
	line(f.RewardedRefused, "successful runs in which a write was refused")
	line(f.WrongAfterYes, "wrong writes, in all runs, before which the customer's last message matches "+agrees.String())
	line(f.RunsWithWrong, "failed runs with a wrong write")
	line(f.RunsSaved, "of them with all wrong writes stopped")
	line(f.TypedFailures, "calls that the desk's own tools refuse, answered by a declared failure")
	line(f.SchemaRefused, "calls that a schema refuses")
	line(f.Questions, "questions to a person")
	line(f.QuestionsInVain, "of them about a call that failed after the yes")
}
