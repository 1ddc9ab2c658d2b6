package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A shop is a Caller in memory. It counts effects where they happen.
type shop struct {
	tools   []agent.Tool
	answers map[string]func(ctx context.Context, arguments string) (*agent.Result, error)

	mu      sync.Mutex
	effects []string // tool and arguments, in the order in which calls began
	keys    []string // that are stored before each call
}

func (s *shop) Tools() []agent.Tool { return s.tools }

func (s *shop) Chain() risk.Chain {
	var c risk.Chain
	for _, effect := range s.called() {
		name, _, _ := strings.Cut(effect, " ")
		i := slices.IndexFunc(s.tools, func(t agent.Tool) bool { return t.Name == name })
		c = c.After(s.tools[i].Contract.Reversibility, s.tools[i].Contract.Risk)
	}
	return c
}

func (s *shop) Call(ctx context.Context, tool string, arguments any, _ ...agent.CallOption) (*agent.Result, error) {
	raw := string(arguments.(json.RawMessage))
	s.mu.Lock()
	s.effects = append(s.effects, tool+" "+raw)
	s.mu.Unlock()
	if answer := s.answers[tool]; answer != nil {
		return answer(ctx, raw)
	}
	return succeeded(tool), nil
}

// save keeps the key of each call that is made next.
func (s *shop) save(_ context.Context, state loop.State) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state.Sent != nil {
		s.keys = append(s.keys, state.Sent.Key)
	}
	return nil
}

func (s *shop) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.effects)
}

func succeeded(tool string) *agent.Result {
	return &agent.Result{
		Tool: tool, Text: "done", Trust: trust.Trusted, Outcome: contract.Outcome{Status: contract.StatusOK}, Attempts: 1,
	}
}

func retryAnswer(tool, code string) error {
	return &agent.RetryError{Failure: agent.Failure{Tool: tool, Code: code, Message: code, Attempts: 1}}
}

func fatalAnswer(tool, code string) error {
	return &agent.FatalError{Failure: agent.Failure{Tool: tool, Code: code, Message: code, Attempts: 1}}
}

// shopTool returns a tool with a contract.
func shopTool(name string, d contract.Document) agent.Tool {
	d.Name = name
	return agent.Tool{Name: name, Contract: d.Effective(), Origin: agent.OriginContract}
}

var (
	shopRead  = contract.Document{Effect: risk.ReadOnly, ContentTrust: trust.Trusted}
	shopWrite = contract.Document{Effect: risk.LowRiskWrite, ContentTrust: trust.Trusted}
	shopSet   = contract.Document{
		Effect: risk.LowRiskWrite, ContentTrust: trust.Trusted, Idempotency: &contract.Idempotency{Mode: idempotency.Managed},
	}
)

// newShop returns a shop with a read, a write, an idempotent write and a
// forbidden tool.
func newShop() *shop {
	return &shop{
		tools: []agent.Tool{
			shopTool("notes.read", shopRead), shopTool("notes.write", shopWrite), shopTool("notes.set", shopSet),
			shopTool("notes.export", contract.Document{Effect: risk.ReadOnly, Risk: risk.Forbidden}),
		},
		answers: map[string]func(context.Context, string) (*agent.Result, error){},
	}
}

// playing returns a model that plays turns, and then answers "done".
func playing(turns ...loop.Message) loop.Model {
	return func(_ context.Context, messages []loop.Message, _ []agent.Tool) (loop.Message, error) {
		played := 0
		for _, m := range messages {
			if m.Role == loop.RoleModel {
				played++
			}
		}
		if played < len(turns) {
			return turns[played], nil
		}
		return loop.Message{Text: "done"}, nil
	}
}

// always returns a model that gives the same answer each time.
func always(turn loop.Message) loop.Model {
	return func(context.Context, []loop.Message, []agent.Tool) (loop.Message, error) { return turn, nil }
}

// wants returns a turn with calls, each "tool arguments".
func wants(calls ...string) loop.Message {
	var m loop.Message
	for i, c := range calls {
		name, arguments, _ := strings.Cut(c, " ")
		m.Calls = append(m.Calls, loop.ToolCall{ID: strconv.Itoa(i + 1), Tool: name, Arguments: arguments})
	}
	return m
}

func taskOf(model loop.Model, s *shop) loop.Task {
	return loop.Task{
		Model: model, Callers: []loop.Caller{s}, Policy: agent.Policy{AcceptContracts: true}, Save: s.save,
	}
}

// answerOf returns the answer of a run that has one.
func answerOf(t require.TestingT, s loop.State) string {
	text, answered := s.Answer()
	require.True(t, answered)
	return text
}

// recordEvents adds the events of a task to a list, as text.
func recordEvents(t *loop.Task) *[]string {
	lines := new([]string)
	t.Events = func(e loop.Event) {
		line := string(e.Kind)
		if e.Call.Tool != "" {
			line += " " + e.Call.Tool + " " + e.Call.Arguments
		}
		switch e.Kind {
		case loop.EventDecided:
			line += " " + e.Decision.Handling.String() + " " + e.Decision.Rule
		case loop.EventObserved:
			line += fmt.Sprintf(" %s %s", e.Observed.Status, e.Observed.Code)
		case loop.EventReplied:
		}
		*lines = append(*lines, line)
	}
	return lines
}

// answeringAlike answers every question alike, and counts them.
func answeringAlike(a agent.Answer) (agent.Host, *int) {
	asked := new(int)
	return agent.Host{Ask: func(context.Context, agent.Question) (agent.Answer, error) {
		*asked++
		return a, nil
	}}, asked
}
