package agent

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/servertext"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The bounds of a list.
const (
	maxPages     = 1000
	maxTools     = 10_000
	maxListBytes = 32 << 20 // of all pages together
	maxNameBytes = 128
	maxTextBytes = 1 << 16 // of a description
)

var (
	errListForm   = errors.New("the answer to tools/list is not a list of tools")
	errListCursor = errors.New("tools/list repeats a cursor, so the list has no end")
	errListLength = fmt.Errorf("tools/list has more than %d pages, %d tools or %d bytes", maxPages, maxTools, maxListBytes)
)

// list reads all pages of a session's tool list. It returns the tools by listed
// name.
func (a *Agent) list(ctx context.Context, s client.Session) (map[string]Tool, error) {
	tools, seen, cursor, size, listed := map[string]Tool{}, map[string]bool{}, "", 0, 0
	for range maxPages {
		raw, err := a.readPage(ctx, s, cursor)
		if err != nil {
			return nil, err
		}
		if size += len(raw); size > maxListBytes {
			return nil, errListLength
		}
		page, next, err := toolsOf(raw)
		if err != nil {
			return nil, err
		}
		if listed += len(page); listed > maxTools {
			return nil, errListLength
		}
		for _, raw := range page {
			a.addListed(ctx, tools, raw)
		}
		switch {
		case next == "":
			return tools, nil
		case seen[next]:
			return nil, errListCursor
		}
		seen[next], cursor = true, next
	}
	return nil, errListLength
}

// readPage makes one tools/list request, within the time for one request.
func (a *Agent) readPage(ctx context.Context, s client.Session, cursor string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, a.options.Limits.Request, errRequestLimit)
	defer cancel()
	raw, err := callOut(ctx, a.slots, func(ctx context.Context) (json.RawMessage, error) { return s.ListTools(ctx, cursor) })
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	return raw, nil
}

// toolsOf returns the tools on a page and the cursor of the next page.
func toolsOf(raw json.RawMessage) (tools []json.RawMessage, next string, err error) {
	var page struct {
		Tools      []json.RawMessage `json:"tools"`
		NextCursor string            `json:"nextCursor"`
	}
	if json.Unmarshal(raw, &page) != nil || page.Tools == nil {
		return nil, "", errListForm
	}
	return page.Tools, page.NextCursor, nil
}

// addListed adds a listed tool. If two tools have the same name, both are
// refused, because nobody knows which of them a call would reach.
func (a *Agent) addListed(ctx context.Context, tools map[string]Tool, raw json.RawMessage) {
	t, ok := readTool(raw)
	if !ok {
		return
	}
	if other, twice := tools[t.Name]; twice {
		other.Refusal = "the server lists two tools of this name"
		tools[t.Name] = other
		return
	}
	if t.Refusal == "" && a.options.Quarantine != nil {
		if reason := a.quarantine(ctx, t); reason != "" {
			t.Refusal = "it is quarantined: " + reason
		}
	}
	tools[t.Name] = t
}

// quarantine returns why a tool is quarantined, or "". A host that doesn't
// answer is a reason too.
func (a *Agent) quarantine(ctx context.Context, t Tool) string {
	ctx, cancel := context.WithTimeout(ctx, hostTime)
	defer cancel()
	reason, err := callOut(ctx, a.slots, func(context.Context) (string, error) { return a.options.Quarantine(t), nil })
	if err != nil {
		return "the host did not decide about it"
	}
	return reason
}

// A listedTool is one element of tools/list.
type listedTool struct {
	Name         string                     `json:"name"`
	Title        string                     `json:"title"`
	Description  string                     `json:"description"`
	InputSchema  json.RawMessage            `json:"inputSchema"`
	OutputSchema json.RawMessage            `json:"outputSchema"`
	Annotations  hints                      `json:"annotations"`
	Meta         map[string]json.RawMessage `json:"_meta"`
}

// hints are the annotations of a tool. Nil: not sent.
type hints struct {
	Title       string `json:"title"`
	ReadOnly    *bool  `json:"readOnlyHint"`
	Destructive *bool  `json:"destructiveHint"`
	Idempotent  *bool  `json:"idempotentHint"`
	OpenWorld   *bool  `json:"openWorldHint"`
}

// hintIs reports whether a hint was sent with this value.
func hintIs(hint *bool, value bool) bool { return hint != nil && *hint == value }

// readTool reads a listed tool. It reports false if the tool has no name to
// call it by.
func readTool(raw json.RawMessage) (Tool, bool) {
	var l listedTool
	if err := readStrict(raw, &l); err != nil {
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &named) != nil || named.Name == "" {
			return Tool{}, false
		}
		return Tool{Name: named.Name, Contract: contract.Document{}.Effective(), Refusal: "its definition cannot be read"}, true
	}
	if l.Name == "" {
		return Tool{}, false
	}
	t := Tool{Name: l.Name}
	t.Contract, t.Origin, t.Refusal = l.contract()
	if t.Contract.Description == "" {
		t.Contract.Title = cmp.Or(l.Title, l.Annotations.Title)
		t.Contract.Description = l.Description
	}
	t.Contract.Title = clean(t.Contract.Title)
	t.Contract.Description = clean(t.Contract.Description)
	shown, ok := shownSchema(l.InputSchema)
	if t.Contract.InputSchema = shown; !ok && t.Refusal == "" {
		t.Refusal = "its input schema has hidden characters, and cannot be read to remove them"
	}
	t.Contract.OutputSchema = nil
	if len(l.OutputSchema) > 0 && string(l.OutputSchema) != "null" {
		t.Contract.OutputSchema = l.OutputSchema
		t.output = compile(l.OutputSchema, schema.Output)
	}
	form, err := strictjson.Canonical(raw)
	if err != nil {
		form = raw // then a definition that is only spelled differently is another one
	}
	sum := sha256.Sum256(form)
	t.digest = hex.EncodeToString(sum[:])
	_, removed := trust.Sanitize(l.Name)
	if t.Refusal == "" && (removed > 0 || len(l.Name) > maxNameBytes || strings.ContainsAny(l.Name, " \t\n")) {
		t.Refusal = "its name has characters that names must not have, or is too long"
	}
	return t, true
}

// shownSchema returns an input schema as a model reads it: its texts are
// sanitised. Names and values stay, because the server compares arguments with
// them. It reports false for a schema that may hide text and cannot be read.
func shownSchema(raw json.RawMessage) (shown json.RawMessage, ok bool) {
	if _, removed := trust.Sanitize(string(raw)); removed == 0 && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, true
	}
	shown, _ = schema.CleanTexts(raw)
	_, err := tree.Read(raw)
	return shown, err == nil
}

// clean sanitises and bounds a text of the server.
func clean(text string) string {
	text, _ = servertext.Bounded(text, maxTextBytes)
	return text
}

// readStrict reads strict JSON, but ignores members that the target lacks.
func readStrict(raw json.RawMessage, into any) error {
	return jsonv2.Unmarshal(raw, into, strictjson.Options(), jsonv2.RejectUnknownMembers(false))
}

// contract returns the effective contract of a listed tool, its origin, and why
// the tool is refused.
func (l listedTool) contract() (doc contract.Document, origin Origin, refusal string) {
	raw, published := l.Meta[contract.MetaKeyContract]
	if !published {
		return l.byHints(), OriginHints, ""
	}
	var members map[string]json.RawMessage
	var shown contract.Document
	if readStrict(raw, &members) != nil || json.Unmarshal(raw, &shown) != nil {
		return contract.Document{Name: l.Name}.Effective(), OriginContract, "its contract cannot be read"
	}
	if shown.Format != contract.Format {
		return contract.Document{Name: l.Name}.Effective(), OriginContract, fmt.Sprintf(
			"its contract has format %d; this version reads format %d", shown.Format, contract.Format)
	}
	origin = OriginContract
	_, short := members["failureCodes"]
	if _, whole := members["autonomous"]; short || !whole { // earlier summaries had neither
		origin = OriginSummary
		l.addHints(&shown)
		addWindow(&shown, members)
	}
	if shown.Name == "" {
		shown.Name = l.Name
	}
	return shown.Effective(), origin, l.contradiction(shown)
}

// byHints returns a contract for a tool that has none. It leaves out only what
// the hints rule out; contradictory hints don't count.
func (l listedTool) byHints() contract.Document {
	doc := contract.Document{Format: contract.Format, Name: l.Name}
	h := l.Annotations
	switch {
	case hintIs(h.ReadOnly, true) && !hintIs(h.Destructive, true):
		doc.Effect = risk.ReadOnly
	case hintIs(h.Destructive, false) && hintIs(h.OpenWorld, false):
		doc.Effect = risk.HighRiskWrite
	case hintIs(h.Destructive, false):
		doc.Effect = risk.ExternalPublication
	}
	l.addHints(&doc)
	return doc.Effective()
}

// addHints adds what the hints say about clauses that are not published. The
// guard derives the hints from the contract.
func (l listedTool) addHints(doc *contract.Document) {
	if doc.Effect == risk.ReadOnly {
		return
	}
	if hintIs(l.Annotations.Idempotent, true) {
		doc.Idempotency = &contract.Idempotency{Mode: idempotency.Native}
	}
	if len(doc.SideEffects) == 0 {
		doc.SideEffects = []contract.SideEffect{{}}
	}
	for i := range doc.SideEffects { // a summary has their descriptions
		effect := &doc.SideEffects[i]
		if hintIs(l.Annotations.Destructive, false) {
			effect.Undo = contract.Reversible
		}
		if hintIs(l.Annotations.OpenWorld, false) {
			effect.Reach = contract.Internal
		}
	}
}

// addWindow adds what a summary says about repeated calls: for how long they have
// no second effect, and whether they need a key.
func addWindow(doc *contract.Document, summary map[string]json.RawMessage) {
	window, err := strconv.ParseInt(string(summary["idempotentForSeconds"]), 10, 32) // no server remembers longer
	if err != nil || window <= 0 || doc.Effect == risk.ReadOnly {
		return
	}
	doc.Idempotency = &contract.Idempotency{
		Mode: idempotency.Managed, Retention: time.Duration(window) * time.Second,
		KeyRequired: string(summary["keyRequired"]) == "true",
	}
}

// contradiction returns why a contract cannot be true, or "". No server of this
// library lists such a contract.
func (l listedTool) contradiction(doc contract.Document) string {
	applies := doc.Effective()
	switch {
	case applies.Risk == risk.Forbidden:
		return "it is forbidden for agents"
	case doc.Name != l.Name && contract.Underscore.Listed(doc.Name) != l.Name:
		return "its contract is that of another tool"
	case !applies.Risk.AtLeast(applies.Effect.Floor()):
		return "its contract declares a risk below that of its effect"
	case applies.Risk == risk.Critical && applies.Confirmation == contract.ConfirmationNever:
		return "its contract is critical and never asks a person"
	case !isPossible(applies):
		return "its contract lets a call be weaker than any contract can be"
	case applies.Effect == risk.ReadOnly && !hintIs(l.Annotations.ReadOnly, true) &&
		(hintIs(l.Annotations.ReadOnly, false) || hintIs(l.Annotations.Destructive, true)):
		return "its hints are stricter than its contract"
	}
	return ""
}

// isPossible reports whether a contract could really have its weakest call. A
// summary may lack the permissions.
func isPossible(d contract.Document) bool {
	if d.Resolves == nil {
		return true
	}
	weakest := contract.Resolution(*d.Resolves)
	weakest.Permissions = nil
	_, err := d.Resolved(weakest)
	return err == nil
}

// compile compiles a server's schema, of any draft. It returns nil for one that
// can't be compiled: there is nothing to check against.
func compile(raw json.RawMessage, direction schema.Direction) *schema.Schema {
	modern, _, problems := schema.Modern(tree.NewText(raw), true)
	if len(problems) > 0 {
		return nil
	}
	compiled, problems := schema.CompileText(modern, schema.CompileOptions{Lenient: true, Direction: direction})
	if len(problems) > 0 {
		return nil
	}
	return compiled
}

// sortedTools returns tools sorted by name.
func sortedTools(tools map[string]Tool) []Tool {
	list := make([]Tool, 0, len(tools))
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		list = append(list, tools[name])
	}
	return list
}
