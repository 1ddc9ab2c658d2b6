package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
)

// unknownTool stands for the JSON-RPC error for an unknown name.
const unknownTool = "unknown tool"

// rejectedState stands for the JSON-RPC error for a state that the server did
// not issue.
const rejectedState = "rejected state"

// call makes the call and fills in its result. It returns the outcome in one
// word, and the whole answer.
func (st step) call(ctx context.Context, t *stepResult) (got, wire string, err error) {
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: st.tool, Arguments: json.RawMessage(st.arguments)}}
	if st.key != "" {
		request.Params.Meta = &mcp.Meta{AdditionalFields: map[string]any{contract.MetaKeyIdempotencyKey: st.key}}
	}
	result, err := st.client.CallTool(ctx, request)
	if errors.Is(err, mcp.ErrInvalidParams) {
		t.Status = "protocol error -32602"
		t.Text = err.Error()
		return unknownTool, err.Error(), nil
	}
	if errors.Is(err, mcp.ErrInternalError) {
		t.Status = "protocol error -32603"
		t.Text = err.Error()
		return rejectedState, err.Error(), nil
	}
	if err != nil {
		return "", "", err
	}
	full, err := json.Marshal(result)
	if err != nil {
		return "", "", err
	}
	var texts []string
	for _, c := range result.Content {
		if text, ok := c.(mcp.TextContent); ok {
			texts = append(texts, mask(text.Text))
		}
	}
	t.Text = strings.Join(texts, "\n")
	outcome, err := outcomeOf(result)
	if err != nil {
		return "", "", err
	}
	t.Status = outcome.Status.String()
	t.Code = outcome.Code
	if outcome.Class != 0 {
		t.Class = outcome.Class.String()
	}
	outcome.CallID = "…"
	// a long delay depends on the time of the run
	if delay := time.Duration(outcome.RetryAfterMs) * time.Millisecond; delay > time.Minute {
		outcome.RetryAfterMs = delay.Round(time.Minute).Milliseconds()
	}
	if t.Outcome, err = json.Marshal(outcome); err != nil {
		return "", "", err
	}
	return cmp.Or(outcome.Code, outcome.Status.String()), string(full), nil
}

// outcomeOf returns the outcome in the _meta of a result.
func outcomeOf(result *mcp.CallToolResult) (contract.Outcome, error) {
	var outcome contract.Outcome
	if result.Meta == nil {
		return outcome, errors.New("the result has no _meta")
	}
	return outcome, decodeInto(result.Meta.AdditionalFields[contract.MetaKeyOutcome], &outcome)
}

var random = regexp.MustCompile(`(untrusted-content-|draft_|email_|"dryRunToken":"|Try again in \d+[hm]|refused for ` +
	`another |the same call at )[-\w]+(:\d\d:\d\dZ)?`)

// mask replaces random texts, and texts that depend on the time of the run.
func mask(text string) string { return random.ReplaceAllString(text, "${1}…") }
