package agent

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum"
)

// A Step is one thing that happened within a call, for a user interface or a
// log. See [WithSteps].
type Step struct {
	// Kind is what happened.
	Kind StepKind
	// Tool and Key are those of the call.
	Tool, Key string
	// Attempt counts the times that the call was sent, from 1. Zero: it was not
	// sent yet.
	Attempt int
	// Code and Class are set if the server answered with a failure.
	Code  string
	Class contract.Class
	// Wait is the delay of a [StepWaiting].
	Wait time.Duration
}

// A StepKind is what happened within a call.
type StepKind uint8

const (
	// StepSent: the call was sent.
	StepSent StepKind = iota + 1
	// StepPreviewed: the dry run was made.
	StepPreviewed
	// StepAsked: a person decides about the call.
	StepAsked
	// StepOpened: a person was sent to a page.
	StepOpened
	// StepWaiting: the agent waits before it sends the call again.
	StepWaiting
	// StepLost: the connection was lost, or the server did not answer in time.
	StepLost
	// StepReconnected: there is a new session with the server.
	StepReconnected
	// StepAnswered: the server answered the call.
	StepAnswered
)

var stepKinds = enum.Of[StepKind]("agent", "step", "", "sent", "previewed", "asked", "opened", "waiting", "lost", "reconnected", "answered")

// String returns the kind's text, and a form such as "step(42)" for a number
// that is no kind.
func (k StepKind) String() string { return stepKinds.String(k) }

// MarshalText returns the kind's text. A number that is no kind is an error.
func (k StepKind) MarshalText() ([]byte, error) { return stepKinds.Marshal(k) }

// UnmarshalText sets k from a kind's text. Any other text is an error and
// leaves k unchanged.
func (k *StepKind) UnmarshalText(text []byte) error { return stepKinds.Unmarshal(k, text) }
