package adapter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/listing"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// changes lists what a contract changes about a tool for clients; see
// [wrap.Tool]. answered means that the tool was wrapped with
// [wrap.WithAnsweredConfirmation].
func changes(tool Definition, built *contract.Tool, naming contract.Naming, answered bool) []string {
	doc := built.Document()
	l := &changeList{}
	facts := bound.Of(built).Facts()
	l.listing(tool, doc, facts.Written, naming)
	l.schemas(tool, doc, facts)
	l.arguments(doc, !facts.Unfilled)
	l.results(doc)
	l.errors(doc, facts)
	l.callers(doc, answered)
	return l.all
}

type changeList struct{ all []string }

func (l *changeList) add(text string) { l.all = append(l.all, text) }

func (l *changeList) listing(tool Definition, doc contract.Document, written *bound.Written, naming contract.Naming) {
	if listed := naming.Listed(doc.Name); listed != tool.Name {
		l.add("is listed as " + listed)
	}
	was := tool.Annotations
	is := annotationsOf(doc, written)
	l.hint("readOnlyHint", was.ReadOnlyHint, false, *is.ReadOnlyHint)
	l.hint("destructiveHint", was.DestructiveHint, true, *is.DestructiveHint)
	l.hint("idempotentHint", was.IdempotentHint, false, *is.IdempotentHint)
	l.hint("openWorldHint", was.OpenWorldHint, true, *is.OpenWorldHint)
}

// hint compares a hint, or its default in the protocol if the tool has none.
func (l *changeList) hint(name string, was *bool, otherwise, is bool) {
	if was != nil {
		otherwise = *was
	}
	switch {
	case otherwise == is:
	case is:
		l.add(name + " becomes true")
	default:
		l.add(name + " becomes false")
	}
}

// schemas compares the schemas of the tool to those that its contract lists.
func (l *changeList) schemas(tool Definition, doc contract.Document, facts *bound.Facts) {
	if facts.Converted {
		l.add("a schema of an older draft is listed in draft 2020-12")
	}
	input, output := documentOf(tool.InputSchema), documentOf(tool.OutputSchema)
	if schema.HasNullable(input) || schema.HasNullable(output) {
		l.add("nullable of OpenAPI 3.0 is listed as a type that may be null")
	}
	if facts.Unchecked {
		l.add("patterns that RE2 cannot check are listed as x-uncheckedPattern, and nothing checks them")
	}
	if listing.HasHeaders(tool.InputSchema) && !listing.HasHeaders(doc.InputSchema) {
		l.add("x-mcp-header is not listed, so clients do not repeat arguments in HTTP headers")
	}
	l.unknown("input", documentOf(doc.InputSchema))
	l.unknown("output", documentOf(doc.OutputSchema))
}

// documentOf parses a schema. It returns an empty document for one that Build
// would refuse.
func documentOf(raw json.RawMessage) *tree.Document {
	document, err := tree.NewText(raw).Document()
	if err != nil {
		return &tree.Document{}
	}
	return document
}

// unknown lists the keywords of a schema that nothing checks.
func (l *changeList) unknown(of string, document *tree.Document) {
	for _, p := range schema.UnknownKeywords(document) {
		l.add(fmt.Sprintf("%s schema %s: %s, and nothing checks it", of, strictjson.PrintablePointer(p.Field), p.Message))
	}
}

func (l *changeList) arguments(doc contract.Document, filled bool) {
	var root struct {
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	if json.Unmarshal(doc.InputSchema, &root) == nil && string(root.AdditionalProperties) == "false" {
		l.add("arguments must fit the schema, and those that it does not name are refused")
	} else {
		l.add("arguments must fit the schema, and those that it does not name reach the handler")
	}
	if filled {
		var object map[string]any
		_ = json.Unmarshal(doc.InputSchema, &object) // Build has read it
		for _, at := range defaultsIn("", object) {
			l.add(at + " gets its default if it is left out")
		}
	}
	switch doc.DryRun {
	case dryrun.Supported:
		l.add("the argument dryRun asks for a preview")
	case dryrun.Required:
		l.add("the argument dryRun asks for a preview, and each call needs the dryRunToken of one")
	case dryrun.None:
	}
}

// defaultsIn returns the paths of an object schema's members that have
// defaults.
func defaultsIn(at string, object map[string]any) []string {
	properties, _ := object["properties"].(map[string]any)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		member, _ := properties[name].(map[string]any)
		pointer := strictjson.Pointer(at, name)
		if _, ok := member["default"]; ok {
			found = append(found, strictjson.PrintablePointer(pointer))
		}
		found = append(found, defaultsIn(pointer, member)...)
	}
	return found
}

func (l *changeList) results(doc contract.Document) {
	if doc.OutputSchema != nil {
		l.add("structured content must fit the output schema")
	} else {
		l.add("structured content is not checked, because there is no output schema")
	}
	switch doc.Delimit.Effective(doc.ContentTrust) {
	case trust.DelimitText:
		l.add("plain texts are delimited as untrusted data")
	case trust.DelimitAll:
		l.add("all texts are delimited as untrusted data")
	case trust.DelimitNever:
	}
	switch doc.Sanitize {
	case trust.SanitizeAlways:
	case trust.SanitizeText:
		l.add("hidden characters are removed from texts, and structured content stays exact")
	case trust.SanitizeNever:
		l.add("hidden characters of results are not removed")
	}
}

func (l *changeList) errors(doc contract.Document, facts *bound.Facts) {
	switch {
	case facts.OtherErrors != "":
	case facts.Reported == "":
		l.add("errors that are not declared become internal_error without their texts")
	default:
		isReported := func(m contract.FailureMode) bool { return m.Code == facts.Reported }
		added := ""
		if i := slices.IndexFunc(doc.FailureModes, isReported); i >= 0 && doc.FailureModes[i].EffectPossible {
			added = ", and say that effects may have happened"
		}
		l.add("error results keep their texts under the code " + facts.Reported + added)
		l.add("Go errors that are not declared become internal_error without their texts")
	}
}

func (l *changeList) callers(doc contract.Document, answered bool) {
	waives := doc.Resolves != nil && doc.Resolves.Confirmation == contract.ConfirmationNever
	switch {
	case doc.Confirmation == contract.ConfirmationAlways && !waives:
		l.add("a person is asked before every call")
	case doc.Confirmation == contract.ConfirmationAlways, doc.Confirmation == contract.ConfirmationWhen:
		l.add("a person is asked before some calls")
	case doc.Confirmation == contract.ConfirmationUpstream:
		l.add("only the server itself asks a person, and decides what a client that cannot ask gets")
	}
	if answered && (doc.Confirmation == contract.ConfirmationAlways || doc.Confirmation == contract.ConfirmationWhen) {
		l.add("an approved call also answers the server's own confirmation if it has no fields, and a client that cannot ask gets " +
			"confirmation_required")
	}
	if doc.StepUp != nil {
		l.add("a person must have authenticated recently or strongly")
	}
	if len(doc.Permissions) > 0 {
		l.add("callers need the permissions " + strings.Join(doc.Permissions, ", "))
	} else if doc.NeedsPrincipal() {
		l.add("anonymous callers are refused")
	}
	if doc.Idempotency != nil && doc.Idempotency.Mode.Deduplicates() {
		l.add("a repeated call gets the recorded result")
		if doc.Idempotency.KeyRequired {
			l.add("a call without an idempotency key is refused")
		}
	}
}
