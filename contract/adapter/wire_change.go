package adapter

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/trust"
)

// A WireChange is one difference that clients see once a tool has a contract.
type WireChange struct {
	// Kind is the kind of the change.
	Kind WireChangeKind
	// Text describes the change in one sentence without a period. Equal changes
	// of two tools have equal texts.
	Text string
}

// A WireChangeKind is a kind of [WireChange]. The constants are all kinds.
type WireChangeKind string

const (
	// ListedName: the tool is listed under another name.
	ListedName WireChangeKind = "listedName"
	// ListedHint: a hint has another value.
	ListedHint WireChangeKind = "listedHint"
	// ConvertedSchema: a schema of an older draft is listed in draft 2020-12.
	ConvertedSchema WireChangeKind = "convertedSchema"
	// UncheckedPattern: a pattern is listed as an annotation that nothing
	// checks.
	UncheckedPattern WireChangeKind = "uncheckedPattern"
	// DroppedHeader: the schema is listed without x-mcp-header, so clients do
	// not repeat arguments in HTTP headers.
	DroppedHeader WireChangeKind = "droppedHeader"
	// ClosedSchema: arguments are validated, and unknown ones are refused.
	ClosedSchema WireChangeKind = "closedSchema"
	// OpenSchema: arguments are validated, and unknown ones reach the handler.
	OpenSchema WireChangeKind = "openSchema"
	// FilledDefault: an argument that is left out gets its default.
	FilledDefault WireChangeKind = "filledDefault"
	// AddedControl: the schema has another argument, for a dry run.
	AddedControl WireChangeKind = "addedControl"
	// CheckedOutput: structured content must fit the output schema.
	CheckedOutput WireChangeKind = "checkedOutput"
	// UntypedOutput: there is no output schema, so structured content is not
	// checked.
	UntypedOutput WireChangeKind = "untypedOutput"
	// DelimitedContent: texts are delimited as untrusted data.
	DelimitedContent WireChangeKind = "delimitedContent"
	// HiddenError: errors that no clause declares lose their texts.
	HiddenError WireChangeKind = "hiddenError"
	// AskedPerson: a person is asked, or must authenticate, before a call runs.
	AskedPerson WireChangeKind = "askedPerson"
	// RefusedCaller: some callers are refused.
	RefusedCaller WireChangeKind = "refusedCaller"
	// ReplayedCall: a repeated call gets the recorded result.
	ReplayedCall WireChangeKind = "replayedCall"
)

// changes compares a tool without a contract to its contract.
func changes(tool Definition, built *contract.Tool, naming contract.Naming) []WireChange {
	doc := built.Document()
	l := &changeList{}
	l.listing(tool, doc, naming)
	l.schemas(tool, doc)
	l.arguments(doc)
	l.results(doc, bound.Of(built).Facts().OtherErrors == "")
	l.callers(doc)
	return l.all
}

type changeList struct{ all []WireChange }

func (l *changeList) add(kind WireChangeKind, text string) {
	l.all = append(l.all, WireChange{Kind: kind, Text: text})
}

func (l *changeList) listing(tool Definition, doc contract.Document, naming contract.Naming) {
	if listed := naming.Listed(doc.Name); listed != tool.Name {
		l.add(ListedName, "is listed as "+listed)
	}
	was, is := tool.Annotations, doc.Hints()
	l.hint("readOnlyHint", was.ReadOnlyHint, false, is.ReadOnly)
	l.hint("destructiveHint", was.DestructiveHint, true, is.Destructive)
	l.hint("idempotentHint", was.IdempotentHint, false, is.Idempotent)
	l.hint("openWorldHint", was.OpenWorldHint, true, is.OpenWorld)
}

// hint compares a hint with its default in the protocol if the tool has none.
func (l *changeList) hint(name string, was *bool, otherwise, is bool) {
	if was != nil {
		otherwise = *was
	}
	switch {
	case otherwise == is:
	case is:
		l.add(ListedHint, name+" becomes true")
	default:
		l.add(ListedHint, name+" becomes false")
	}
}

// schemas compares the schemas of the tool to those that its contract lists.
func (l *changeList) schemas(tool Definition, doc contract.Document) {
	converted, unchecked := false, false
	for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
		if raw == nil {
			continue
		}
		modern, older, _ := schema.Modern(raw, true)
		_, patterns := schema.Uncheck(modern)
		converted, unchecked = converted || older, unchecked || patterns > 0
	}
	if converted {
		l.add(ConvertedSchema, "a schema of an older draft is listed in draft 2020-12")
	}
	if unchecked {
		l.add(UncheckedPattern, "patterns that RE2 cannot check are listed as x-uncheckedPattern, and nothing checks them")
	}
	if hasHeaders(tool.InputSchema) && !hasHeaders(doc.InputSchema) {
		l.add(DroppedHeader, "x-mcp-header is not listed, so clients do not repeat arguments in HTTP headers")
	}
}

func (l *changeList) arguments(doc contract.Document) {
	var root map[string]any
	if json.Unmarshal(doc.InputSchema, &root) == nil && root["additionalProperties"] == false {
		l.add(ClosedSchema, "arguments must fit the schema, and those that it does not name are refused")
	} else {
		l.add(OpenSchema, "arguments must fit the schema, and those that it does not name reach the handler")
	}
	for _, at := range defaultsIn("", root) {
		l.add(FilledDefault, at+" gets its default if it is left out")
	}
	switch doc.DryRun {
	case dryrun.Supported:
		l.add(AddedControl, "the argument dryRun asks for a preview")
	case dryrun.Required:
		l.add(AddedControl, "the argument dryRun asks for a preview, and each call needs the dryRunToken of one")
	case dryrun.None:
	}
}

// defaultsIn returns where a schema of an object has members with defaults.
func defaultsIn(at string, object map[string]any) []string {
	properties, _ := object["properties"].(map[string]any)
	var found []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		member, _ := properties[name].(map[string]any)
		pointer := jsonptr.Append(at, name)
		if _, ok := member["default"]; ok {
			found = append(found, jsonptr.Printable(pointer))
		}
		found = append(found, defaultsIn(pointer, member)...)
	}
	return found
}

func (l *changeList) results(doc contract.Document, hidesErrors bool) {
	if doc.OutputSchema != nil {
		l.add(CheckedOutput, "structured content must fit the output schema")
	} else {
		l.add(UntypedOutput, "structured content is not checked, because there is no output schema")
	}
	switch doc.Delimit.Effective(doc.ContentTrust) {
	case trust.DelimitText:
		l.add(DelimitedContent, "plain texts are delimited as untrusted data")
	case trust.DelimitAll:
		l.add(DelimitedContent, "all texts are delimited as untrusted data")
	case trust.DelimitNever:
	}
	if hidesErrors {
		l.add(HiddenError, "errors that are not declared become internal_error without their texts")
	}
}

func (l *changeList) callers(doc contract.Document) {
	switch doc.Confirmation {
	case contract.ConfirmationAlways:
		l.add(AskedPerson, "a person is asked before every call")
	case contract.ConfirmationWhen:
		l.add(AskedPerson, "a person is asked before some calls")
	case contract.ConfirmationNever:
	}
	if doc.StepUp != nil {
		l.add(AskedPerson, "a person must have authenticated recently or strongly")
	}
	if len(doc.Permissions) > 0 {
		l.add(RefusedCaller, "callers need the permissions "+strings.Join(doc.Permissions, ", "))
	} else if doc.NeedsPrincipal() {
		l.add(RefusedCaller, "anonymous callers are refused")
	}
	if doc.Idempotency != nil && doc.Idempotency.Mode.Deduplicates() {
		l.add(ReplayedCall, "a repeated call gets the recorded result")
	}
}
