package guard

import (
	"encoding/json"
	"errors"

	"github.com/toolcontract/toolcontract/contract"
)

// A Request is one call as a transport received it.
type Request struct {
	// Tool is the name, or an alias, that was called.
	Tool string
	// Arguments is the raw JSON of the arguments, as sent. Nil means none.
	Arguments json.RawMessage
	// IdempotencyKey is the key that the client sent, of 1 to 255 printable
	// ASCII characters. Nil: none. It counts only if the contract takes one.
	IdempotencyKey *string
	// State is what the client carried from the question that this call
	// answers, as it was sent. Empty: none.
	State string
	// Answers are the client's answers, by input key: raw results of
	// elicitations. They count only with a State.
	Answers map[string]json.RawMessage
	// Rounds means that the client can ask a person, takes a question as a
	// result, and carries the answer in another call (MCP 2026-07-28).
	Rounds bool
	// Ask asks a person through the client within the call. It is used if
	// Rounds is false. Nil: the client cannot.
	Ask Asker
	// RoundsURL and AskURL mean the same of a client that sends a person to an
	// address (elicitation in URL mode): as a result, or within the call.
	RoundsURL bool
	AskURL    Asker
	// Session is whose open questions are counted, if Ask or AskURL is used.
	Session string
	// Server is the name of the server that was called. An answer to a question
	// of another server does not count.
	Server string
	// Task means that the caller wants the call run as a task, which is
	// refused.
	Task bool
	// Isolate runs the handler on a goroutine of its own even if no timeout is
	// declared, so that a handler that ends its goroutine (runtime.Goexit) does
	// not end the transport's. Set it if a few workers serve all calls.
	Isolate bool
	// Progress receives what the handler reports by [Progress]. Nil drops it.
	// It must not block, and is not called after the call was answered.
	Progress func(done, total float64, note string)
}

// A Result is the answer to one call, in terms of the Model Context Protocol.
type Result struct {
	// Text is what a model reads first: the structured content as JSON, the
	// tool's text, or an error's "code: message". It is empty if Content has
	// the text.
	Text string
	// Content comes after Text.
	Content []contract.Content
	// Structured is the structured content. It is nil for errors and for tools
	// without an output schema.
	Structured json.RawMessage
	// IsError means that the call failed.
	IsError bool
	// Outcome is the same for programs.
	Outcome contract.Outcome
	// Question and State are set if Outcome.Status is asked: the question for a
	// person, and what the client carries with the answer.
	Question *Question
	State    string
	// Meta is what the handler adds to the result's _meta. Nil: nothing.
	Meta map[string]any
}

// ErrUnknownTool is returned for a name that the toolset does not have, and for
// a forbidden tool that an agent calls: the two cannot be distinguished.
var ErrUnknownTool = errors.New("guard: unknown tool")
