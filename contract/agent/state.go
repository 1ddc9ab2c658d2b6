package agent

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
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
	Seen Exposure `json:"seen,omitzero"`
	// Sent has the calls of the last turn that may have reached their server,
	// and have no observation yet.
	Sent []SentCall `json:"sent,omitempty"`
	// Found has the tools that the model has found; see [Task.Finder].
	Found []string `json:"found,omitempty"`
	// Effects, Declined and Failed are about calls by their digest: when a
	// write that may have had its effect was sent, whether a person declined
	// the call, and how often it failed.
	Effects  map[string]time.Time `json:"effects,omitempty"`
	Declined map[string]bool      `json:"declined,omitempty"`
	Failed   map[string]int       `json:"failed,omitempty"`
}

// A SentCall is a call that may have reached its server.
type SentCall struct {
	// ID is the [ToolCall.ID] of the call.
	ID string `json:"id"`
	// At is when the call was first sent. A server remembers the outcomes of
	// calls for a time only.
	At time.Time `json:"at"`
}

// sent returns when a call was first sent, and whether it was.
func (s State) sent(c ToolCall) (time.Time, bool) {
	i := slices.IndexFunc(s.Sent, func(sent SentCall) bool { return sent.ID == c.ID })
	if i < 0 {
		return time.Time{}, false
	}
	return s.Sent[i].At, true
}

// clone returns a copy that later changes of the run do not reach.
func (s State) clone() State {
	s.Messages, s.Sent, s.Found = slices.Clone(s.Messages), slices.Clone(s.Sent), slices.Clone(s.Found)
	s.Effects, s.Declined, s.Failed = maps.Clone(s.Effects), maps.Clone(s.Declined), maps.Clone(s.Failed)
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
	if s.Effects == nil {
		s.Effects = map[string]time.Time{}
	}
	if s.Declined == nil {
		s.Declined = map[string]bool{}
	}
	if s.Failed == nil {
		s.Failed = map[string]int{}
	}
	return s
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

// digest identifies a call by its tool and its arguments, however the model
// wrote them.
func (c ToolCall) digest() string {
	sum := sha256.Sum256([]byte(c.Tool + "\x00" + string(canonical(c.raw()))))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// canonical returns the same bytes for arguments of the same value. Integers
// stay exact, unless strictjson refuses the arguments: then all numbers are
// rounded. Arguments that are no JSON stay as they are.
func canonical(arguments json.RawMessage) []byte {
	if exact, err := strictjson.Canonical(arguments); err == nil {
		return exact
	}
	rounded := jsontext.Value(arguments).Clone()
	if rounded.Canonicalize() != nil {
		return arguments
	}
	return rounded
}

// key returns the idempotency key of a call in this run.
func (s State) key(c ToolCall) string {
	sum := sha256.Sum256([]byte(s.ID + "\x00" + c.digest()))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// repeatable reports whether a call that was sent at a time can be sent again
// without a second effect, by the contract of its tool. A server that
// deduplicates calls forgets them after the retention.
func repeatable(t Tool, sent time.Time) bool {
	d := t.Contract.Effective()
	switch {
	case !t.hasContract():
		return false
	case d.Effect == risk.ReadOnly || d.Idempotency.Mode == idempotency.Native:
		return true
	case d.Idempotency.Mode.Deduplicates():
		return time.Since(sent) < time.Duration(d.Idempotency.RetentionSeconds)*time.Second
	}
	return false
}

// runsBesides reports whether a call may run beside others: only reads that a
// contract declares. Hints promise nothing.
func runsBesides(t Tool) bool { return t.hasContract() && t.Contract.Effect == risk.ReadOnly }
