package adapter

import (
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// The values of resultType (MCP 2026-07-28).
const (
	resultComplete      = "complete"
	resultInputRequired = "input_required"
)

// A CallResult is the result of one tools/call. Its JSON is the result in the
// protocol's form. Adapters whose SDK has its own types copy the fields.
type CallResult struct {
	// Content has the text first, then the other content. The _meta of its
	// items has none of the protocol's keys. It is empty if Requests is set.
	Content []contract.Content
	// Structured is the structuredContent. Nil: there is none.
	Structured json.RawMessage
	// IsError means that the call failed.
	IsError bool
	// Meta is the _meta. It always has the outcome. The map belongs to the
	// caller of [Table.Call].
	Meta map[string]any
	// Requests and State are set if the client must answer something first:
	// inputRequests, a JSON object of requests by key, and requestState.
	Requests json.RawMessage
	State    string
	// ResultType is "input_required" if Requests is set. Otherwise it is
	// "complete" for a client that is Modern, and empty for older ones.
	ResultType string
	// Passed is the SDK's own result, which [Belt.Call] hands on. Nil: this is
	// the result.
	Passed any
	// Outcome reports the same result to programs. It is never nil, and Meta
	// already has it.
	Outcome *contract.Outcome
}

// MarshalJSON writes the result of tools/call.
func (a *CallResult) MarshalJSON() ([]byte, error) {
	content := make([]json.RawMessage, len(a.Content)) // never null
	for i, item := range a.Content {
		var err error
		if content[i], err = MarshalContent(item); err != nil {
			return nil, err
		}
	}
	return json.Marshal(struct {
		Meta       map[string]any    `json:"_meta,omitempty"`
		Content    []json.RawMessage `json:"content"`
		Requests   json.RawMessage   `json:"inputRequests,omitempty"`
		IsError    bool              `json:"isError,omitempty"`
		State      string            `json:"requestState,omitempty"`
		ResultType string            `json:"resultType,omitempty"`
		Structured json.RawMessage   `json:"structuredContent,omitempty"`
	}{a.Meta, content, a.Requests, a.IsError, a.State, a.ResultType, a.Structured})
}

// answer assembles the answer to a call, with a new Meta map each time, because
// SDKs add to it.
func (t *Table) answer(r *exchange.Result, modern bool) (*CallResult, error) {
	both := &struct {
		CallResult
		content [1]contract.Content // most answers have one
	}{CallResult: CallResult{Structured: r.Structured, IsError: r.IsError, Meta: resultMeta(r), Outcome: &r.Outcome}}
	a := &both.CallResult
	a.Content = both.content[:0]
	if c := challenge(r.Outcome, t.resourceMetadata); c != "" {
		a.Meta[metaKeyChallenges] = []string{c}
	}
	if modern {
		a.ResultType = resultComplete
	}
	switch {
	case r.Question != nil:
		requests, err := inputRequests(*r.Question)
		if err != nil {
			return nil, fmt.Errorf("adapter: the question: %w", err)
		}
		a.ask(requests, r.State)
	case r.Requests != nil:
		a.ask(r.Requests, r.State)
	case r.Text != "" || len(r.Content) == 0:
		a.Content = append(a.Content, contract.TextContent{Text: r.Text})
	}
	for _, item := range r.Content {
		a.Content = append(a.Content, withoutProtocolKeys(item))
	}
	return a, nil
}

func (a *CallResult) ask(requests json.RawMessage, state string) {
	a.Requests, a.State, a.ResultType, a.IsError = requests, state, resultInputRequired, false
}
