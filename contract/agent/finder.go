package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A Finder finds tools by words, as an Index of package toolsearch does. It
// must be safe for concurrent use.
type Finder interface {
	// Find returns at most limit tools that match a query, the best first.
	Find(ctx context.Context, query string, limit int) ([]Tool, error)
}

// FindTools is the name of the tool by which a model searches; see
// [Task.Finder].
const FindTools = "find_tools"

// foundAtOnce bounds the tools that one search adds.
const foundAtOnce = 10

// A searcher is the caller of FindTools.
type searcher struct {
	finder Finder
	offers func(Tool) bool
}

func (s searcher) tool() Tool {
	return Tool{Name: FindTools, Origin: OriginContract, Contract: contract.Document{
		Format: contract.Format, Name: FindTools, Effect: risk.ReadOnly, ContentTrust: trust.Trusted,
		Description: "Finds tools for what you want to do. You can call the tools that it finds from the next turn on.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, in a few words."}},"required":["query"],"additionalProperties":false}`),
	}.Effective()}
}

// Tools implements [Caller].
func (s searcher) Tools() []Tool { return []Tool{s.tool()} }

// Call implements [Caller]. It finds only tools that the policy offers.
func (s searcher) Call(ctx context.Context, _ string, arguments any, _ ...CallOption) (*Result, error) {
	var in struct {
		Query string `json:"query"`
	}
	raw, _ := arguments.(json.RawMessage)
	if readStrict(raw, &in) != nil || strings.TrimSpace(in.Query) == "" {
		return nil, &RetryError{Failure: Failure{Tool: FindTools, Code: contract.CodeInvalidInput, Message: "The argument query is missing: write what the tool should do."}}
	}
	tools, err := s.finder.Find(ctx, in.Query, foundAtOnce)
	if err != nil {
		return nil, &RetryError{Failure: Failure{Tool: FindTools, Code: contract.CodeUnavailable, Message: "The search failed.", Attempts: 1}}
	}
	found := searchResult{Tools: []string{}}
	for _, t := range tools {
		if s.offers(t) {
			found.Tools = append(found.Tools, t.Name)
		}
	}
	structured, err := strictjson.MarshalValue(found)
	if err != nil {
		return nil, err
	}
	return &Result{Tool: FindTools, Structured: structured, Trust: trust.Trusted, Outcome: contract.Outcome{Status: contract.StatusOK}, Attempts: 1}, nil
}

// A searchResult is the structured content of FindTools.
type searchResult struct {
	Tools []string `json:"tools"`
}

// found adds the tools that a search found to those that the model is offered.
func (l *loop) found(structured json.RawMessage) {
	var r searchResult
	if readStrict(structured, &r) != nil {
		return
	}
	for _, name := range r.Tools {
		if !slices.Contains(l.state.Found, name) {
			l.state.Found = append(l.state.Found, name)
		}
	}
}

// Summaries describes tools in at most budget tokens, by [EstimateTokens], for
// a model or a person. Each tool has one line: its name and its effect, and
// then as much of its description as the budget allows for all tools alike. If
// not even the names fit, the first tools have a line, and the last line counts
// the others. The result depends on nothing but the arguments.
func Summaries(tools []Tool, budget int64) string {
	heads, texts := make([]string, 0, len(tools)), make([]string, 0, len(tools))
	for _, t := range tools {
		heads = append(heads, fmt.Sprintf("%s (%s)", t.Name, t.Contract.Effect.Effective()))
		texts = append(texts, strings.Join(strings.Fields(t.Contract.Description), " "))
	}
	for _, length := range []int{1 << 16, 400, 200, 120, 80, 40, 0} {
		var b strings.Builder
		for i, head := range heads {
			b.WriteString(head)
			if text := shortened(texts[i], length); text != "" {
				b.WriteString(": " + text)
			}
			b.WriteByte('\n')
		}
		if EstimateTokens(b.String()) <= budget {
			return b.String()
		}
	}
	return firstOfThem(heads, budget)
}

// firstOfThem returns as many lines as fit, and a last one that counts the
// others.
func firstOfThem(lines []string, budget int64) string {
	var kept, best string
	for i := range lines {
		if text := kept + fmt.Sprintf("and %d more\n", len(lines)-i); EstimateTokens(text) <= budget {
			best = text
		}
		kept += lines[i] + "\n"
	}
	return best
}

// shortened cuts a text after a sentence that fits, or else after a word.
func shortened(text string, length int) string {
	if len(text) <= length {
		return text
	}
	if i := strings.LastIndex(text[:length], ". "); i >= 0 {
		return text[:i+1]
	}
	if i := strings.LastIndexByte(text[:length], ' '); i > 0 {
		return text[:i] + "…"
	}
	return ""
}
