package agent

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// A Step is one thing that happened during a call, for a user interface or a
// log. See [Options.Steps].
type Step struct {
	// Kind is what happened.
	Kind StepKind
	// Tool and Key are those of the call.
	Tool, Key string
	// Attempt is how often the call has been sent. Zero: it was not sent yet.
	Attempt int
	// Code and Class are set if the server answered with a failure.
	Code  string
	Class contract.Class
	// OperationID is set if the server named the operation in its answer. A
	// host stores it in the [SentCall].
	OperationID string
	// Wait is the delay of a [StepWaiting].
	Wait time.Duration
}

// A StepKind is what happened during a call.
type StepKind string

const (
	// StepSent: the call was sent.
	StepSent StepKind = "sent"
	// StepWaiting: the agent waits before it sends the call again.
	StepWaiting StepKind = "waiting"
	// StepLost: the connection was lost, or the server did not answer in time.
	StepLost StepKind = "lost"
	// StepAnswered: the server answered the call.
	StepAnswered StepKind = "answered"
)
