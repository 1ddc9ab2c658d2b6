package loop

import (
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/trust"
)

// An Event is one thing that happened in a run, for a user interface, a log or
// a trace. Its LogValue leaves out texts, arguments and results.
type Event struct {
	// Kind is what happened.
	Kind EventKind
	// Run is the ID of the run; see [State].
	Run string
	// Turn counts the requests to the model, from 1.
	Turn int
	// Text is what the model wrote, for [EventReplied].
	Text string
	// Usage is that of the turn, for [EventReplied].
	Usage Usage
	// Call is the call, for events of calls. Its Arguments are as the model
	// wrote them.
	Call ToolCall
	// Decision is what the policy decided, for [EventDecided].
	Decision agent.Decision
	// Answer is what the person decided, for [EventAnswered].
	Answer agent.Action
	// Observed is what became of the call, for [EventObserved]. For
	// [EventWaiting] it is the last answer of the server.
	Observed Observation
	// Wait is the delay until the call is sent again, for [EventWaiting].
	Wait time.Duration
	// Err is how the run ended, for [EventEnded]. Nil: the model answered.
	Err error
}

// An Observation is what became of one call.
type Observation struct {
	// Status, Code and Class are those of the outcome. A call that was not made
	// has [contract.StatusError].
	Status contract.Status
	Code   string
	Class  contract.Class
	// Made is false if nothing was sent.
	Made bool
	// Text is what the model reads, and Trust is the trust in it.
	Text  string
	Trust trust.Level
	// Err is the error of a failed call, a [*agent.RetryError] or an
	// [*agent.FatalError].
	Err error
}

// An EventKind is what happened in a run.
type EventKind string

const (
	// EventAsking: the model gets the conversation.
	EventAsking EventKind = "asking"
	// EventReplied: the model answered with a turn.
	EventReplied EventKind = "replied"
	// EventDecided: the policy decided about a call.
	EventDecided EventKind = "decided"
	// EventAnswered: a person answered a question of the policy.
	EventAnswered EventKind = "answered"
	// EventCalling: the call is sent next.
	EventCalling EventKind = "calling"
	// EventWaiting: the call waits for a person who decides elsewhere.
	EventWaiting EventKind = "waiting"
	// EventObserved: the model can read what became of the call.
	EventObserved EventKind = "observed"
	// EventEnded: the run ended. It is the last event.
	EventEnded EventKind = "ended"
)

// LogValue returns the event for [log/slog]. It leaves out what the model and
// the servers wrote, because that can be confidential.
func (e Event) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("event", string(e.Kind)), slog.String("run", e.Run), slog.Int("turn", e.Turn)}
	if e.Call.ID != "" {
		attrs = append(attrs, slog.String("call", e.Call.ID))
		if e.Decision.Rule != ruleUnknown && e.Observed.Code != agent.CodeUnknownTool { // the name is the model's own text
			attrs = append(attrs, slog.String("tool", e.Call.Tool))
		}
	}
	switch e.Kind {
	case EventReplied:
		attrs = append(attrs, slog.Int64("tokens", e.Usage.Tokens), slog.Int64("cost", e.Usage.Cost))
	case EventDecided:
		attrs = append(attrs, slog.String("handling", e.Decision.Handling.String()), slog.String("rule", e.Decision.Rule))
	case EventAnswered:
		attrs = append(attrs, slog.String("answer", e.Answer.String()))
	case EventWaiting, EventObserved:
		attrs = append(attrs, slog.String("status", e.Observed.Status.String()), slog.Bool("made", e.Observed.Made))
		if e.Observed.Code != "" {
			attrs = append(attrs, slog.String("code", e.Observed.Code), slog.String("class", e.Observed.Class.String()))
		}
	case EventEnded:
		if e.Err != nil {
			attrs = append(attrs, slog.String("error", e.Err.Error()))
		}
	case EventAsking, EventCalling:
	}
	return slog.GroupValue(attrs...)
}
