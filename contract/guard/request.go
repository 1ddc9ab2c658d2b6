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
	// IdempotencyKey is the key that the client sent. Nil: none. It counts only
	// where the contract takes one, and then has 1 to 255 printable ASCII
	// characters.
	IdempotencyKey *string
	// Task says that the caller wants the call run as a task, which is refused.
	Task bool
	// Isolate runs the handler on a goroutine of its own even where no timeout
	// is declared, so that one which ends its goroutine (runtime.Goexit) does
	// not end the transport's. Needed where a few workers serve all calls.
	Isolate bool
	// Progress receives what the handler reports by [Progress]. Nil drops it.
	// It must not block, and is not called after the call was answered.
	Progress func(done, total float64, note string)
}

// A Result is the answer to one call, in terms of the Model Context Protocol.
type Result struct {
	// Text is what a model reads first: the structured content as JSON, the
	// tool's text, or an error's "code: message". It is empty where Content has
	// the text.
	Text string
	// Content is what comes after Text.
	Content []contract.Content
	// Structured is the structured content. It is nil for errors and for tools
	// without an output schema.
	Structured json.RawMessage
	// IsError says that the call failed.
	IsError bool
	// Outcome is the same for programs.
	Outcome contract.Outcome
	// Meta is what the handler adds to the result's _meta. Nil: nothing.
	Meta map[string]any
}

// ErrUnknownTool is returned for a name that the toolset does not have, and for
// a forbidden tool that an agent calls: the two cannot be told apart.
var ErrUnknownTool = errors.New("guard: unknown tool")
