// Package loop runs a model with tools. It is an example: copy it into your
// program and change it there. It needs nothing but the public packages of the
// library.
//
// Read loop.go first: [Run] asks the model, makes the calls that it wants, and
// asks it again. call.go has what happens to one call. state.go has a run as
// data, so that it can be continued after a restart.
//
// A call is made by an [agent.Agent], which does what the contract of the tool
// demands. The loop adds what only a whole run can know: an [agent.Policy],
// equal calls, and which call was under way when the process ended.
package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/risk"
)

// A Model answers a conversation with its next message, of which [Run] uses
// Text and Calls. A message without calls is the answer, which ends the run. An
// error ends the run too, so a Model must itself repeat requests that can
// succeed later. It must return soon after ctx is done.
type Model func(ctx context.Context, messages []Message, tools []agent.Tool) (Message, error)

// A Caller calls the tools of one server. An [agent.Agent] is one.
type Caller interface {
	// Tools returns the tools that can be called.
	Tools() []agent.Tool
	// Call makes one call. Its errors are [*agent.RetryError] and
	// [*agent.FatalError]; [Run] treats any other error as fatal.
	Call(ctx context.Context, tool string, arguments any, opts ...agent.CallOption) (*agent.Result, error)
	// Chain sums up the calls so far. A new Caller, such as after a restart,
	// starts with none: the State has the earlier ones.
	Chain() risk.Chain
}

// A Task is one run of a model with tools; see [Run].
type Task struct {
	// Model answers the conversation. Required.
	Model Model
	// Callers have the tools, by names that differ.
	Callers []Caller
	// Policy decides about each call, and which tools the model is offered. The
	// zero value asks before every call.
	Policy agent.Policy
	// Host reaches the person for the questions of Policy. The questions of
	// servers reach the host of their [agent.Agent]. Zero: no person can be
	// asked, and calls that Policy would ask about are refused.
	Host agent.Host
	// Turns bounds the requests to the model, and Calls the calls of tools,
	// both over all restarts. The context of [Run] bounds the time. Default: 20
	// turns and 100 calls.
	Turns, Calls int
	// State is the conversation so far. A new run has the message of the
	// person, and perhaps one of [RoleSystem]. An earlier State continues its
	// run: only once at a time, and only from storage to which only the host
	// can write, because Run does not verify it.
	State State
	// Save stores the state after each answer of the model, before each call
	// and after it. A call that could not be stored is not made. Encode the
	// state before you return: the run goes on to change it. Nil: the state is
	// lost with the process.
	Save func(ctx context.Context, s State) error
	// Events is called for everything that happens, on the goroutine of Run.
	// Nil: events are dropped.
	Events func(Event)
}

// The errors of runs that can be continued with their [State].
var (
	// ErrTurns: the run has used up its turns.
	ErrTurns = errors.New("loop: the run has had all its turns; raise Task.Turns and continue it with its state")
	// ErrCalls: the run has used up its calls.
	ErrCalls = errors.New("loop: the run has made all its calls; raise Task.Calls and continue it with its state")
	// ErrPending: a call waits for a person who decides elsewhere, such as on
	// the page of an approver. Continue the run when the person has decided.
	// The call is then made again with its key.
	ErrPending = errors.New("loop: a call waits for a person who decides elsewhere; continue the run with its state later")
)

// Run lets a model work on a task with tools until it answers without a call.
// The calls of a turn are made one after the other. The policy decides about
// each one by what the conversation had read when the model wrote the turn.
//
// A declined call, a refused call, a call of an unknown tool and a call that
// fails with a [*agent.RetryError] do not end the run: the model reads why. A
// [*agent.FatalError] ends the run at once. A write that may have had its
// effect is not made again with the same arguments, unless its contract
// excludes a second effect or a person agrees.
//
// The error is nil if the model answered; see [State.Answer]. The State always
// continues the run. A call that was under way when the process ended is
// repeated with its key, or ends the run with the code outcome_unknown if
// its contract does not make that safe.
func Run(ctx context.Context, t Task) (State, error) {
	r := &run{task: t, state: t.State.begun()}
	if stored := t.State.Seen.Chain; r.chain().Calls < stored.Calls {
		r.earlier = stored // calls from an earlier process
	}
	err := r.run(ctx)
	return r.state, err
}

type run struct {
	task    Task
	state   State
	offered []agent.Tool
	known   map[string]knownTool // offered or not
	earlier risk.Chain           // calls that no Caller knows about
}

type knownTool struct {
	agent.Tool
	caller Caller
}

// chain sums up the calls of the run so far.
func (r *run) chain() risk.Chain {
	sum := r.earlier
	for _, caller := range r.task.Callers {
		sum = sum.Join(caller.Chain())
	}
	return sum
}

func (r *run) run(ctx context.Context) error {
	for {
		seen := r.state.Seen // the calls of a turn were written before their results were read
		for _, c := range r.state.open() {
			if err := r.call(ctx, c, seen); err != nil {
				return err
			}
		}
		if _, answered := r.state.Answer(); answered {
			return nil
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
	}
}

// turn makes one request to the model.
func (r *run) turn(ctx context.Context) error {
	switch err := r.list(); {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return interrupted(ctx, nil)
	case r.state.Turns >= cmp.Or(r.task.Turns, 20):
		return ErrTurns
	}
	r.state.Turns++
	reply, err := r.task.Model(ctx, slices.Clone(r.state.Messages), r.offered)
	switch {
	case err != nil && ctx.Err() != nil:
		return interrupted(ctx, nil)
	case err != nil:
		return fmt.Errorf("loop: the model failed: %w", err)
	}
	r.state.Messages = append(r.state.Messages, Message{Role: RoleModel, Text: reply.Text, Calls: reply.Calls})
	r.emit(Event{Kind: EventReplied, Text: reply.Text})
	return r.save(ctx)
}

// list reads the tools again. It happens before each decision, so that a
// contract that changed counts at once.
func (r *run) list() error {
	r.offered, r.known = nil, map[string]knownTool{}
	for _, caller := range r.task.Callers {
		for _, tool := range caller.Tools() {
			if _, twice := r.known[tool.Name]; twice {
				return fmt.Errorf("loop: two callers have the tool %s; rename one", tool.Name)
			}
			r.known[tool.Name] = knownTool{tool, caller}
			if r.task.Policy.Offers(tool) {
				r.offered = append(r.offered, tool)
			}
		}
	}
	slices.SortFunc(r.offered, func(a, b agent.Tool) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// saveTime bounds how long storing the state may take.
const saveTime = 30 * time.Second

// save stores the state. The end of the run does not cancel it.
func (r *run) save(ctx context.Context) error {
	if r.task.Save == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	if err := r.task.Save(ctx, r.state); err != nil {
		return fmt.Errorf("loop: save the state of the run: %w", err)
	}
	return nil
}

// interrupted returns the error of a run whose context is done, with the error
// of the call that ended by it.
func interrupted(ctx context.Context, call error) error {
	return fmt.Errorf("loop: the run was interrupted: %w", errors.Join(context.Cause(ctx), call))
}

func (r *run) emit(e Event) {
	if r.task.Events != nil {
		r.task.Events(e)
	}
}

// An EventKind is what happened in a run.
type EventKind string

const (
	// EventReplied: the model answered, with Text.
	EventReplied EventKind = "replied"
	// EventDecided: the policy decided about Call, as Decision has it.
	EventDecided EventKind = "decided"
	// EventObserved: Observed is what became of Call.
	EventObserved EventKind = "observed"
)

// An Event is one thing that happened in a run. Its texts, arguments and
// results can be confidential: leave them out of a log.
type Event struct {
	Kind     EventKind
	Text     string
	Call     ToolCall
	Decision agent.Decision
	Observed Observation
}
