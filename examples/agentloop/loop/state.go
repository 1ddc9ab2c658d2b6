package loop

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/agent"
)

// A State is a run as data: everything that is needed to continue it after the
// process ended. It holds the whole conversation, with all arguments and
// results, so store it as carefully as these.
type State struct {
	// ID identifies the run. The idempotency keys of its calls follow from it,
	// so that a continued run repeats a call with the key of the first attempt.
	// Empty: Run sets a random one.
	ID string `json:"id,omitempty"`
	// Messages is the conversation.
	Messages []Message `json:"messages,omitempty"`
	// Turns and Calls count the requests to the model and the calls of tools.
	Turns int `json:"turns,omitempty"`
	Calls int `json:"calls,omitempty"`
	// Seen is what the conversation has read and done.
	Seen agent.Exposure `json:"seen,omitzero"`
	// Sent is the call that may have reached its server, and has no observation
	// yet: the first one of the last turn without an observation. Nil: none.
	Sent *agent.SentCall `json:"sent,omitempty"`
	// Effects has the writes that may have had their effect, and Declined the
	// calls that a person declined, both by the key of the call.
	Effects  map[string]agent.SentCall `json:"effects,omitempty"`
	Declined map[string]bool           `json:"declined,omitempty"`
}

// A Message is one message of a conversation.
type Message struct {
	// Role is the author of the message.
	Role Role `json:"role"`
	// Text is the text of the message. In a message of [RoleTool] it is the
	// observation of a call. It is delimited as data if the result is not
	// trusted.
	Text string `json:"text,omitempty"`
	// Calls are the calls that the model wants, if Role is [RoleModel].
	Calls []ToolCall `json:"calls,omitempty"`
	// CallID is the [ToolCall.ID] of the call, if Role is [RoleTool].
	CallID string `json:"callId,omitempty"`
}

// A Role is the author of a [Message].
type Role string

const (
	// RoleSystem messages are instructions of the host.
	RoleSystem Role = "system"
	// RoleUser messages are of the person.
	RoleUser Role = "user"
	// RoleModel messages are turns of the model.
	RoleModel Role = "model"
	// RoleTool messages are observations of calls, in the order of the calls.
	RoleTool Role = "tool"
)

// A ToolCall is a call that a model wants.
type ToolCall struct {
	// ID is the model's own name of the call. Its observation repeats it.
	ID string `json:"id,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Arguments are as the model wrote them. They may be anything, because what
	// models write is not always JSON. Empty: none.
	Arguments string `json:"arguments,omitempty"`
}

// raw returns the arguments as JSON, or {} if there are none.
func (c ToolCall) raw() json.RawMessage {
	if c.Arguments == "" {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(c.Arguments)
}

// Answer returns the answer of the model, if the last message is one.
func (s State) Answer() (text string, answered bool) {
	if len(s.Messages) == 0 {
		return "", false
	}
	last := s.Messages[len(s.Messages)-1]
	return last.Text, last.Role == RoleModel && len(last.Calls) == 0
}

// open returns the calls of the last turn that have no observation.
func (s State) open() []ToolCall {
	for i, m := range slices.Backward(s.Messages) {
		if m.Role == RoleModel {
			return m.Calls[min(len(s.Messages)-1-i, len(m.Calls)):]
		}
	}
	return nil
}

// begun returns a copy of the state that a run can change.
func (s State) begun() State {
	if s.ID == "" {
		s.ID = rand.Text()
	}
	s.Messages = slices.Clone(s.Messages)
	effects := map[string]agent.SentCall{}
	maps.Copy(effects, s.Effects)
	s.Effects = effects
	declined := map[string]bool{}
	maps.Copy(declined, s.Declined)
	s.Declined = declined
	return s
}
