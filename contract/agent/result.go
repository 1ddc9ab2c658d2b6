package agent

import (
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// A Result is the result of a call that succeeded. It fits the output schema of
// the tool and its size.
type Result struct {
	// Tool is the listed name of the tool.
	Tool string
	// Key is the idempotency key of the call. Empty: the tool takes none.
	Key string
	// Text is the text of all text content, one item after the other. It is
	// sanitised; see [trust.Sanitize].
	Text string
	// Structured is the structured content. Nil: there is none.
	Structured json.RawMessage
	// Content has the content as the server sent it, except that its texts are
	// sanitised. Types of content that are not known are left out.
	Content []contract.Content
	// Trust is the trust in the content, from the contract of the tool.
	Trust trust.Level
	// Outcome is what the server reports of the call. Its Status is
	// [contract.StatusOK] if the server reports nothing.
	Outcome contract.Outcome
	// Preview is the structured content of the dry run that came first. Nil:
	// there was none.
	Preview json.RawMessage
	// Attempts counts the times that the call was sent, without dry runs and
	// without answers to questions.
	Attempts int
}

// Prompt returns the result as text for a model. It begins with a line that has
// the tool and the trust in the content. Content that is not trusted is
// delimited as data; see [trust.Delimit]. Images and sounds are named, and left
// out.
func (r *Result) Prompt() string { return "" }
