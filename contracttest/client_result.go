package contracttest

import (
	"encoding/json"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Result is the answer to one call of a [Client], in terms of the Model
// Context Protocol.
type Result struct {
	// Text is what a model reads first: the structured content as JSON, the
	// tool's text, or an error as "code: message". It is empty if the text is
	// in Content.
	Text string
	// Content comes after Text. If Outcome.Status is replayed, its last item is
	// a text from the guard with the time of the recorded call.
	Content []contract.Content
	// Structured is the structured content. It is nil for tools that return
	// text or nothing, and for most errors.
	Structured json.RawMessage
	// IsError means that the call failed.
	IsError bool
	// Outcome has the status, a failure's code and class, and the delay before
	// a retry.
	Outcome contract.Outcome
	// Meta has the members that the handler adds to the result's _meta. Nil:
	// none.
	Meta map[string]any
	// Questions are those that a person was asked during the call, in order.
	Questions []people.Question

	tool      string
	arguments json.RawMessage
}

// Output decodes a result's structured content into a T. The test fails if the
// call failed, or if the content does not fit T. Previews have structured
// content too. T is read by the rules for a tool's input, so T can be the
// tool's output type. Members that T does not have are ignored.
func Output[T any](t testing.TB, r *Result) T {
	t.Helper()
	var out T
	if r.IsError {
		t.Fatalf("contracttest: the call of %s failed: %s", r.tool, r.Text)
	}
	if r.Structured == nil {
		t.Fatalf("contracttest: the result of %s has no structured content: %s", r.tool, r.Text)
	}
	if err := jsonv2.Unmarshal(r.Structured, &out, strictjson.Options(), jsonv2.RejectUnknownMembers(false)); err != nil {
		t.Fatalf("contracttest: the result of %s: %v", r.tool, err)
	}
	return out
}

// dryRunToken returns a preview's token, or "" if it has none.
func (r *Result) dryRunToken() string {
	var p struct {
		DryRunToken string `json:"dryRunToken"`
	}
	_ = json.Unmarshal(r.Structured, &p) // the guard wrote it
	return p.DryRunToken
}
