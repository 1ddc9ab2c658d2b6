package agent

import "github.com/toolcontract/toolcontract/internal/enum"

// A Handling is what a host should do with a call. The zero value is
// [HandleRefuse].
type Handling uint8

const (
	// HandleRefuse does not call.
	HandleRefuse Handling = iota
	// HandleRun calls without a question of the host. The server may still ask
	// a person.
	HandleRun
	// HandleAsk shows the call to a person, and calls if the person approves.
	HandleAsk
	// HandleAskTyping also has the person type a word.
	HandleAskTyping
)

var handlings = enum.Of[Handling]("agent", "handling", "refuse", "run", "ask", "ask-by-typing")

// String returns the text of h, and a form such as "handling(42)" for a number
// that is no handling.
func (h Handling) String() string { return handlings.String(h) }
