package people

import (
	"context"
	"encoding/json"
)

// ConfirmKey is the input key of the question whether a call may run, and the
// name of the boolean property that answers it. The form asks for nothing else.
// If the question has a word to type, the property [TypedKey] answers it
// instead.
const ConfirmKey = "confirm"

// TypedKey is the name of the string property that answers a question with a
// word to type. The form asks for nothing else.
const TypedKey = "word"

// StepUpKey is the input key under which a client answers that a person may be
// sent to authenticate.
const StepUpKey = "step_up"

// ApprovalKey is the input key under which a client answers that its user may
// be sent to the page of the approver.
const ApprovalKey = "approval"

// A Question is what a person is asked before a call runs.
type Question struct {
	// Key is the input key under which the client answers: [ConfirmKey],
	// [StepUpKey] or [ApprovalKey]. It is empty in a
	// [PendingQuestion] and in a [StepUpRequest].
	Key string `json:"-"`
	// Message is the whole text: plain, in lines, without control characters.
	// Clients may render it as Markdown, so characters that would make a link,
	// an image or a tag are separated by a space. In the JSON of an argument,
	// one of them is written as a JSON escape instead, so that the value stays
	// exact.
	Message string
	// Label is the text of the property that answers the question: the boolean
	// [ConfirmKey], or the string [TypedKey] if there is a Word.
	Label string
	// Word is the word that the person types to approve the call. Empty: the
	// person approves without typing. It is always empty in a [StepUpRequest].
	Word string `json:",omitempty"`
	// Title, Words, Facts, Effects and Arguments are the parts of Message, for
	// clients that show more than text: the question, the tool author's
	// sentence about this call, what the call does and on whose behalf, its
	// side effects, and the arguments it will run with. They are for clients
	// that do not render Markdown, such as pages. The sentence may contain
	// argument values, so present it as the tool's words. It may be empty.
	Title     string
	Words     string `json:",omitempty"`
	Facts     []string
	Effects   []string
	Arguments []Argument
	// NotShown is the number of further arguments.
	NotShown int
	// Preview is the result of a dry run of the call, if the tool has one.
	Preview []Argument
	// PreviewNotShown is the number of further members of the preview.
	PreviewNotShown int
	// URL is set if the question is whether the person may be sent to that
	// address: to authenticate under [StepUpKey], to decide under
	// [ApprovalKey]. Of the other fields, only Key, Message and ID are then
	// set. ID is that of the [StepUpRequest], or the token of the
	// [PendingQuestion].
	URL, ID string
}

// An Argument is one argument that a person is shown.
type Argument struct {
	// Name is the argument's name. Text is its value: JSON on one line, without
	// characters that could mislead a reader. Of a secret, Text shows only the
	// length. Of a long value, it shows the beginning and how much is missing.
	// Show both as plain text, never as Markdown, because a caller could have
	// put a link there.
	Name, Text string
	// Title is the title in the tool's schema. Empty: it has none.
	Title string `json:",omitempty"`
}

// An Asker asks a person through the caller's client, within the call. The
// answer is the raw result of an elicitation (MCP 2025-11-25,
// elicitation/create). An Asker returns when ctx ends.
type Asker func(ctx context.Context, q Question) (json.RawMessage, error)
