package agent

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Host is how the agent reaches a person. The zero value reaches nobody: the
// server is told so, and calls that must be confirmed fail with
// [contract.CodeConfirmationRequired].
//
// Calls run in parallel, so the functions must be safe for concurrent use. They
// must return soon after their context is done. An error or a panic counts as
// [Cancel].
type Host struct {
	// Ask shows a question with the arguments of the call to a person. Nil:
	// nobody can be asked.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Open sends a person to a page. It returns when the person says that they
	// are done, or at once if the host cannot know. Nil: pages cannot be
	// opened.
	Open func(ctx context.Context, p Page) (Answer, error)
}

// A Question is what a person decides about one call.
type Question struct {
	// Tool is the tool, and Arguments are what the call has: a JSON object as
	// it is sent. They come from the agent, not from the server.
	Tool      Tool
	Arguments json.RawMessage
	// Preview is the structured content of the dry run, if one came first.
	Preview json.RawMessage
	// Message is the question of the server. It is sanitised. Empty: the server
	// did not ask, and the agent asks before it sends the call.
	Message string
	// Form is the JSON Schema of the form that the server shows. Nil if Message
	// is empty.
	Form json.RawMessage
	// Attempt counts the questions of this call, from 1.
	Attempt int
}

// A Page is an address that a person must visit for a call. The agent opens
// only addresses of https, and of http on the local machine.
type Page struct {
	// Tool and Arguments are those of the call.
	Tool      Tool
	Arguments json.RawMessage
	// URL is the address.
	URL string
	// Message is why the server sends the person there. It is sanitised.
	Message string
}

// An Answer is what a person decided.
type Answer struct {
	// Action is the decision. The zero value is [Cancel].
	Action Action
	// Content has the values of the form, by their names. It is only sent if
	// Action is Accept.
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

// String returns the action as the protocol writes it, and a form such as
// "action(42)" for a number that is no action.
func (a Action) String() string { return actions.String(a) }

// MarshalText returns the action as the protocol writes it. A number that is no
// action is an error.
func (a Action) MarshalText() ([]byte, error) { return actions.Marshal(a) }

// UnmarshalText sets a from the text of the protocol. Any other text is an
// error and leaves a unchanged.
func (a *Action) UnmarshalText(text []byte) error { return actions.Unmarshal(a, text) }

// Approve returns the answer of a person who agrees: the box of the server's
// question is ticked. A question that is confirmed by typing needs
// [Question.Type] instead; see [Question.Typed].
func (q Question) Approve() Answer { return Answer{Action: Accept} }

// Typed reports whether the person must type a word that Message names.
func (q Question) Typed() bool { return false }

// Type returns the answer of a person who typed the word.
func (q Question) Type(word string) Answer { return Answer{Action: Accept} }
