package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/risk"
)

// A Host is how the agent reaches a person. The zero value reaches no person:
// the session declares that, and calls that must be confirmed fail with
// [contract.CodeConfirmationRequired].
//
// Calls run in parallel, so the functions must be safe for concurrent use. They
// must return soon after their context is done. An error or a panic counts as
// [Cancel].
type Host struct {
	// Ask shows a question with the arguments of the call to a person. Nil:
	// no person can be asked.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Open sends a person to a page. It returns when the person has
	// finished, or at once if the host cannot know that. Nil: pages cannot be
	// opened.
	Open func(ctx context.Context, p Page) (Answer, error)
}

// A Question is what a person decides about one call.
type Question struct {
	// Tool is the called tool, and Arguments is the JSON object that is sent.
	// They come from the agent, not from the server. Show them to the person.
	Tool      Tool
	Arguments json.RawMessage
	// Preview is the structured content of the dry run, if one came first.
	Preview json.RawMessage
	// Message is the server's question, sanitised. Empty: the server did not
	// ask; the agent asks before it sends the call.
	Message string
	// Form is the JSON Schema of the form that the server wants filled in. Nil
	// if Message is empty.
	Form json.RawMessage
	// Number counts the questions of this call, from 1. A server asks again
	// after an answer that it cannot read.
	Number int
	// Chain is what the session did before this call; see [Agent.Chain]. Show it
	// to the person, because each call by itself can look harmless.
	Chain risk.Chain
}

// The properties of the forms with which servers of this library ask for
// confirmation.
const (
	confirmProperty = "confirm"
	typedProperty   = "word"
)

// Confirms reports whether the question is only whether the call may be made:
// the agent asks, or the server's form has nothing but one box to tick. Any
// other form asks for data, which goes to the server.
func (q Question) Confirms() bool { return len(q.Form) == 0 || q.hasOnly(confirmProperty, "boolean") }

// Typed reports whether the person confirms the call by typing a word that
// Message names.
func (q Question) Typed() bool { return q.hasOnly(typedProperty, "string") }

// hasOnly reports whether the form has one property, of this name and type.
func (q Question) hasOnly(name, kind string) bool {
	fields := Fields(q.Form)
	return len(fields) == 1 && fields[0].Name == name && slices.Equal(fields[0].Kinds, []string{kind})
}

// Approve returns the answer of a person who agrees to the call. If the server
// shows a box to confirm the call, it is ticked. It fills in no other form; for
// a word that must be typed use [Question.Type].
func (q Question) Approve() Answer {
	if len(q.Form) > 0 && q.Confirms() {
		return Answer{Action: Accept, Content: map[string]any{confirmProperty: true}}
	}
	return Answer{Action: Accept}
}

// Type returns the answer of a person who typed a word to confirm the call.
func (q Question) Type(word string) Answer {
	return Answer{Action: Accept, Content: map[string]any{typedProperty: word}}
}

// A Page is an address that a person must visit for a call. The agent opens
// only https addresses, and http addresses on the local machine.
type Page struct {
	// Tool and Arguments are those of the call.
	Tool      Tool
	Arguments json.RawMessage
	// URL is the address. It comes from the server: show its host to the
	// person before you open it.
	URL string
	// Message is why the server sends the person there, sanitised.
	Message string
	// Chain is what the session did before this call.
	Chain risk.Chain
}

// An Answer is what a person decided.
type Answer struct {
	// Action is the decision. The zero value is [Cancel].
	Action Action
	// Content has the values of the form by name. It is sent only if Action is
	// Accept. Fields that it leaves out are sent with their defaults.
	Content map[string]any
}

// An Action is how a person closes a question. The zero value is [Cancel].
type Action uint8

const (
	// Cancel closes the question without an answer.
	Cancel Action = iota
	// Decline refuses the call.
	Decline
	// Accept agrees to the call.
	Accept
)

var actions = enum.Of[Action]("agent", "action", "cancel", "decline", "accept")

// String returns the action as the protocol writes it, or a form such as
// "action(42)" for a number that is no action.
func (a Action) String() string { return actions.String(a) }

// GoString returns the type and the text of a, for test failures.
func (a Action) GoString() string { return actions.GoString(a) }

// MarshalText returns the action as the protocol writes it. A number that is no
// action is an error.
func (a Action) MarshalText() ([]byte, error) { return actions.Marshal(a) }
