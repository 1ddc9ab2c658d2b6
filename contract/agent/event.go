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
	// StepWaiting: the agent waits before it sends the call again.
	StepWaiting
	// StepLost: the connection was lost, or the server did not answer in time.
	StepLost
	// StepAnswered: the server answered the call.
	StepAnswered
)

var stepKinds = enum.Of[StepKind]("agent", "step", "", "sent", "waiting", "lost", "answered")

// String returns the kind's text, and a form such as "step(42)" for a number
// that is no kind.
func (k StepKind) String() string { return stepKinds.String(k) }
