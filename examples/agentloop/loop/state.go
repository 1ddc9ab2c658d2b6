package loop

import (
	"crypto/rand"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// A State is a run as data: everything that is needed to continue it after the
// process ended. The zero value is a run that has not begun. It holds the whole
// conversation, with all arguments and results, so store it as carefully as
// these.
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
	// Used is what all turns have cost.
	Used Usage `json:"used,omitzero"`
	// Seen is what the conversation has read.
	Seen agent.Exposure `json:"seen,omitzero"`
	// Sent has the calls of the last turn that may have reached their server,
	// and have no observation yet, by their ID.
	Sent map[string]agent.SentCall `json:"sent,omitempty"`
	// Effects, Declined and Failed are about calls by their key: a write that
	// may have had its effect, whether a person declined the call, and how
	// often it failed.
	Effects  map[string]agent.SentCall `json:"effects,omitempty"`
	Declined map[string]bool           `json:"declined,omitempty"`
	Failed   map[string]int            `json:"failed,omitempty"`
}

// clone returns a copy that later changes of the run do not reach.
func (s State) clone() State {
	s.Messages, s.Sent, s.Effects = slices.Clone(s.Messages), maps.Clone(s.Sent), maps.Clone(s.Effects)
	s.Declined, s.Failed = maps.Clone(s.Declined), maps.Clone(s.Failed)
	return s
}

// begun returns the state of a run that can go on.
func (s State) begun(t Task) State {
	s = s.clone()
	if s.ID == "" {
		s.ID = rand.Text()
	}
	if len(s.Messages) == 0 {
		for _, m := range []Message{{Role: RoleSystem, Text: t.Instructions}, {Role: RoleUser, Text: t.Prompt}} {
			if m.Text != "" {
				s.Messages = append(s.Messages, m)
			}
		}
	}
	s.Sent, s.Effects = made(s.Sent), made(s.Effects)
	s.Declined, s.Failed = made(s.Declined), made(s.Failed)
	return s
}

// made returns a map that can be written.
func made[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// open returns the calls of the last turn that have no observation.
func (s State) open() []ToolCall {
	last := -1
	for i, m := range s.Messages {
		if m.Role == RoleModel {
			last = i
		}
	}
	if last < 0 {
		return nil
	}
	calls := slices.Clone(s.Messages[last].Calls)
	for _, m := range s.Messages[last+1:] {
		if m.Role == RoleTool {
			calls = slices.DeleteFunc(calls, func(c ToolCall) bool { return c.ID == m.CallID })
		}
	}
	return calls
}
