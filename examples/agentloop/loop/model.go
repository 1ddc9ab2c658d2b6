package loop

import (
	"context"
	"encoding/json"
	"math"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// A Model answers a conversation with its next turn. [Run] calls it once a
// turn, never concurrently. An error ends the run, so a Model must itself
// repeat requests that can succeed later.
//
// A Model should return soon after ctx is done. Run does not wait for one that
// does not.
type Model func(ctx context.Context, c Conversation) (Turn, error)

// A Conversation is what a [Model] answers. The Model must not modify it.
type Conversation struct {
	// Messages are all messages so far, the oldest first.
	Messages []Message
	// Tools are the tools that the model may call, sorted by name.
	Tools []agent.Tool
}

// A Message is one message of a conversation.
type Message struct {
	// Role is the author of the message.
	Role Role `json:"role"`
	// Text is the text of the message. In a message of [RoleTool] it is the
	// observation of a call. It is delimited as data if the result is not
	// trusted.
	Text string `json:"text,omitempty"`
	// Calls are the calls that the model wants, if Role is [RoleModel].
	Calls []ToolCall `json:"calls,omitempty"`
	// CallID is the [ToolCall.ID] of the call, if Role is [RoleTool].
	CallID string `json:"callId,omitempty"`
}

// A Role is the author of a [Message].
type Role string

const (
	// RoleSystem messages are instructions of the host.
	RoleSystem Role = "system"
	// RoleUser messages are of the person.
	RoleUser Role = "user"
	// RoleModel messages are turns of the model.
	RoleModel Role = "model"
	// RoleTool messages are observations of calls.
	RoleTool Role = "tool"
)

// A ToolCall is a call that a model wants.
type ToolCall struct {
	// ID identifies the call in its turn. [Run] sets one if it is empty, if the
	// model used it before in the turn, or if it is more than 64 letters,
	// digits, dots, hyphens and underscores of ASCII.
	ID string `json:"id"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Arguments are as the model wrote them. They may be anything, because
	// models also write what is no JSON. Empty: none.
	Arguments string `json:"arguments,omitempty"`
}

// raw returns the arguments as JSON, {} for none.
func (c ToolCall) raw() json.RawMessage {
	if c.Arguments == "" {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(c.Arguments)
}

// A Turn is what a [Model] answers.
type Turn struct {
	// Text is what the model writes. In a turn without calls it is the answer
	// that ends the run.
	Text string
	// Calls are the calls that the model wants, in their order.
	Calls []ToolCall
	// Usage is what the turn has cost. If it has no tokens, Run estimates them.
	Usage Usage
}

// A Usage is what turns of a model have cost.
type Usage struct {
	// Tokens counts the tokens of input and output.
	Tokens int64 `json:"tokens,omitempty"`
	// Cost is in millionths of the currency that the host counts in.
	Cost int64 `json:"cost,omitempty"`
}

// plus adds the cost of a turn. A sum that is too large for its type is the
// largest one, so that it is beyond every limit.
func (u Usage) plus(more Usage) Usage {
	return Usage{Tokens: sum(u.Tokens, more.Tokens), Cost: sum(u.Cost, more.Cost)}
}

func sum(a, b int64) int64 {
	b = max(b, 0)
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// estimate estimates the tokens of a conversation and its answer without a
// tokenizer: one for each three bytes of a text, rounded up. For English text
// that is an overestimate.
func (c Conversation) estimate(t Turn) int64 {
	estimated := func(text string) int64 { return (int64(len(text)) + 2) / 3 }
	tokens := estimated(t.Text)
	for _, m := range append([]Message{{Calls: t.Calls}}, c.Messages...) {
		tokens += estimated(m.Text)
		for _, call := range m.Calls {
			tokens += estimated(call.Tool + call.Arguments)
		}
	}
	for _, tool := range c.Tools {
		tokens += estimated(tool.Name + tool.Contract.Description + string(tool.Contract.InputSchema))
	}
	return tokens
}
