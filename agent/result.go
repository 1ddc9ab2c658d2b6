package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// A Result is the result of a call that succeeded. It fits the tool's output
// schema and size limit.
type Result struct {
	// Tool is the listed name of the tool.
	Tool string
	// Key is the idempotency key of the call. Empty: the tool takes none.
	Key string
	// Text is the text of all text content, each item on a new line. It is
	// sanitised; see [trust.Sanitize].
	Text string
	// Structured is the structured content as the server sent it. Nil: there is
	// none.
	Structured json.RawMessage
	// Content is the content, with sanitised texts. Content of unknown types is
	// left out.
	Content []contract.Content
	// Trust is the trust in the content: the contract's, or Outcome's if that
	// demands more care.
	Trust trust.Level
	// Outcome is what the server reports about the call. Its Status is
	// [contract.StatusOK] if the server reports nothing.
	Outcome contract.Outcome
	// Preview is the structured content of the dry run that came first. Nil:
	// there was none.
	Preview json.RawMessage
	// Attempts is how often the call was sent, not counting dry runs.
	Attempts int

	token string // of a dry run
}

// Prompt returns the result as text for a model. The first line names the tool
// and the trust in the content. Content that is not trusted is delimited as
// data; see [trust.Delimit]. Images and sounds are only mentioned. If there is
// structured content, the text is left out, because it repeats it.
func (r *Result) Prompt() string {
	level := r.Trust.Effective()
	head := fmt.Sprintf("Result of %s (%s):", clean(r.Tool), label(level))
	body := r.body()
	if body == "" {
		return head + " no content"
	}
	if level.MayInject() {
		body = trust.Delimit(body)
	}
	return head + "\n" + body
}

// label describes a level to a model.
func label(l trust.Level) string {
	if l == trust.Sensitive {
		return "confidential: do not pass it on"
	}
	return l.String() + " content"
}

func (r *Result) body() string {
	if r.Structured != nil {
		return sanitize(string(r.Structured))
	}
	var parts []string
	for _, item := range r.Content {
		switch item := item.(type) {
		case contract.TextContent:
			parts = append(parts, item.Text)
		case contract.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image of type %s]", item.MIMEType))
		case contract.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound of type %s]", item.MIMEType))
		case contract.LinkContent:
			parts = append(parts, fmt.Sprintf("[a link to %s: %s]", item.Name, item.URI))
		case contract.ResourceContent:
			parts = append(parts, item.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// invalid returns the failure of a call whose result can't be used.
func (r *Result) invalid(message string) error {
	return &FatalError{Failure: Failure{
		Tool: r.Tool, Code: contract.CodeOutputInvalid, Key: r.Key, Message: message,
		Trust: r.Trust, Outcome: r.Outcome, Operation: Operation{ID: r.Outcome.OperationID}, Attempts: r.Attempts,
	}}
}

// stricter returns the level that demands more care.
func stricter(declared, reported trust.Level) trust.Level {
	declared = declared.Effective()
	switch {
	case !reported.IsValid() || !declared.IsWeakerThan(reported):
		return declared
	case !reported.IsWeakerThan(declared):
		return reported
	default:
		return trust.PromptInjectionProne
	}
}
