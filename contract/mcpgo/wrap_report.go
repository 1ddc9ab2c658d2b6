package mcpgo

import "github.com/toolcontract/toolcontract/contract/adapter"

type (
	// A WrapReport is what [WrapAll] found: what it guessed, which tools have
	// no contract, and what changes for clients.
	WrapReport = adapter.WrapReport
	// A WrappedTool is the part of a [WrapReport] about one tool. If Contract
	// and Err are nil, its rule leaves it as it is.
	WrappedTool = adapter.WrappedTool
	// A Guess is a clause that [WrapAll] took from the hints of a tool, because
	// no rule declares it.
	Guess = adapter.Guess
	// A WireChange is one difference that clients see once a tool has a
	// contract.
	WireChange = adapter.WireChange
	// A WireChangeKind is a kind of [WireChange]. The constants are all kinds.
	WireChangeKind = adapter.WireChangeKind
)

const (
	// ListedName: the tool is listed under another name.
	ListedName = adapter.ListedName
	// ListedHint: a hint has another value.
	ListedHint = adapter.ListedHint
	// ConvertedSchema: a schema of an older draft is listed in draft 2020-12.
	ConvertedSchema = adapter.ConvertedSchema
	// UncheckedPattern: a pattern is listed as an annotation that nothing
	// checks.
	UncheckedPattern = adapter.UncheckedPattern
	// DroppedHeader: the schema is listed without x-mcp-header, so clients do
	// not repeat arguments in HTTP headers.
	DroppedHeader = adapter.DroppedHeader
	// ClosedSchema: arguments are validated, and unknown ones are refused.
	ClosedSchema = adapter.ClosedSchema
	// OpenSchema: arguments are validated, and unknown ones reach the handler.
	OpenSchema = adapter.OpenSchema
	// FilledDefault: an argument that is left out gets its default.
	FilledDefault = adapter.FilledDefault
	// AddedControl: the schema has another argument, for a dry run.
	AddedControl = adapter.AddedControl
	// CheckedOutput: structured content must fit the output schema.
	CheckedOutput = adapter.CheckedOutput
	// UntypedOutput: there is no output schema, so structured content is not
	// checked.
	UntypedOutput = adapter.UntypedOutput
	// DelimitedContent: texts are delimited as untrusted data.
	DelimitedContent = adapter.DelimitedContent
	// HiddenError: errors that no clause declares lose their texts.
	HiddenError = adapter.HiddenError
	// AskedPerson: a person is asked, or must authenticate, before a call runs.
	AskedPerson = adapter.AskedPerson
	// RefusedCaller: some callers are refused.
	RefusedCaller = adapter.RefusedCaller
	// ReplayedCall: a repeated call gets the recorded result.
	ReplayedCall = adapter.ReplayedCall
)
