package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// A Task is one run of a model with tools; see [Run].
type Task struct {
	// Model answers the conversation. Required.
	Model Model
	// Callers have the tools, by names that differ. They can be none.
	Callers []Caller
	// Policy decides about each call, and which tools the model is offered. The
	// zero value asks before every call.
	Policy agent.Policy
	// Host reaches the person for the questions of Policy. The questions of
	// servers reach the host of their [agent.Agent]. Zero: no person can be
	// asked, and calls that Policy would ask about are refused.
	Host agent.Host
	// Limits bound the run. The zero value has the defaults.
	Limits Limits
	// Instructions are the first message of a new conversation, and Prompt the
	// second: what the person wants. Empty: there is no such message. They are
	// not used if State continues a conversation.
	Instructions, Prompt string
	// State continues a run that ended or was interrupted. The zero value
	// begins a new one. Continue a state only once at a time, and load it only
	// from where only the host can write: Run does not verify it.
	State State
	// Save stores the state of the run before each request to the model, before
	// each call, and after it. An error ends the run, and a call that was not
	// stored is not made. It has 30 seconds, and a panic counts as an error.
	// Nil: the state is lost with the process.
	Save func(ctx context.Context, s State) error
	// Events gets everything that happens, on the goroutine of Run and in an
	// order that does not depend on the time that calls need. It must return
	// soon, because the run waits for it. Nil: nothing.
	Events func(Event)
}

// A Caller calls the tools of one server. [Of] makes one of an agent. Tests and
// hosts that stand between a run and its servers have their own.
//
// An implementation must be safe for concurrent use. The errors of Call are
// [*agent.RetryError] and [*agent.FatalError]; [Run] treats any other error as
// fatal.
type Caller interface {
	// Tools returns the tools that can be called.
	Tools() []agent.Tool
	// Call makes one call.
	Call(ctx context.Context, c Call) (*agent.Result, error)
}

// A Call is one call that a run makes.
type Call struct {
	// Tool is the tool that was decided about.
	Tool agent.Tool
	// Arguments are those of the model.
	Arguments json.RawMessage
	// Sent has the idempotency key. Run has stored it.
	Sent agent.SentCall
	// Again means that the call may have reached the server before, in a run
	// that was interrupted.
	Again bool
	// Approved means that the policy, or the person whom it asked, agreed to
	// the call.
	Approved bool
}

// Of returns the caller of an agent.
func Of(a *agent.Agent) Caller { return agentCaller{a} }

type agentCaller struct{ agent *agent.Agent }

func (a agentCaller) Tools() []agent.Tool { return a.agent.Tools() }

func (a agentCaller) Call(ctx context.Context, c Call) (*agent.Result, error) {
	opts := []agent.CallOption{agent.ForTool(c.Tool), agent.WithKey(c.Sent.Key)}
	if c.Again {
		opts = append(opts, agent.Continue(c.Sent))
	}
	if c.Approved {
		opts = append(opts, agent.Approved())
	}
	return a.agent.Call(ctx, c.Tool.Name, c.Arguments, opts...)
}

// offers returns the tools that the task offers, sorted by name, and the caller
// of each tool, offered or not.
func (t Task) offers() (offered []agent.Tool, known map[string]knownTool, err error) {
	if t.Model == nil {
		return nil, nil, errors.New("agent: the task has no model; set Task.Model")
	}
	known = map[string]knownTool{}
	for _, caller := range t.Callers {
		for _, tool := range caller.Tools() {
			if _, twice := known[tool.Name]; twice {
				return nil, nil, fmt.Errorf("agent: two callers have the tool %s; rename one", tool.Name)
			}
			known[tool.Name] = knownTool{tool, caller}
			if t.Policy.Offers(tool) {
				offered = append(offered, tool)
			}
		}
	}
	slices.SortFunc(offered, func(a, b agent.Tool) int { return strings.Compare(a.Name, b.Name) })
	return offered, known, nil
}

type knownTool struct {
	agent.Tool
	caller Caller
}
