package bound

import "github.com/toolcontract/toolcontract/internal/schema"

// An OutputKind is the kind of result that a handler returns.
type OutputKind int

const (
	// Structured output is a JSON object with a schema.
	Structured OutputKind = iota
	// Text output is a string.
	Text
	// Empty output has no content.
	Empty
	// Untyped output is JSON without a schema, or nothing.
	Untyped
)

// Sizes that apply if a contract declares none, in bytes.
const (
	DefaultResultBytes   = 1 << 20
	DefaultArgumentBytes = 4 << 20
)

// Facts are the values of a built tool that do not depend on a call. They never
// change.
type Facts struct {
	// Handler, DryRun, Precheck and Reconcile are the code of the tool author's
	// functions behind Run, Preview, Precheck and Reconcile. It is 0 if the tool
	// has none.
	Handler, DryRun, Precheck, Reconcile uintptr
	// Output is the kind of result that Encode returns.
	Output OutputKind
	// OutputSchema is nil unless Output is Structured.
	OutputSchema *schema.Schema
	// PreviewSchema is nil if the tool has no dry run.
	PreviewSchema *schema.Schema
	// OtherErrors is the code of undeclared errors, whose text is then returned
	// too. If it is empty, an undeclared error becomes an internal error
	// without a text.
	OtherErrors string
	// Reported is the code for a wrapped handler's error results that no declared
	// failure stands for. Callers get their text as well. If it is empty, such a
	// result becomes an internal error without its text.
	Reported string
	// Verbatim means that such a result keeps its texts and has the code only
	// in its outcome. The document doesn't list Reported then.
	Verbatim bool
	// Rounds is how often the handler may ask for input in one call, with a
	// [HandlerError] of kind InputRequired. Zero: never. Asks means that it asks
	// with contract.Ask and contract.Sample.
	Rounds int
	Asks   bool
	// Unfilled means that Decode fills in no defaults of the input schema.
	Unfilled bool
	// Written is how the author of a wrapped tool described it. Nil: the tool
	// is not wrapped.
	Written *Written
	// Converted means that a written schema was of an older draft, and
	// Unchecked that it has a pattern that is not checked.
	Converted, Unchecked bool
	// CallsMethods means that Decode, Encode and EncodePreview may call methods
	// of the tool author's types. They recover panics, but cannot recover from
	// the end of their goroutine.
	CallsMethods bool
	// HasSecrets means that Secrets may find something.
	HasSecrets bool
	// SecretKey means that key fields may contain one of them.
	SecretKey bool
	// Tagged lists the declarations that only tags make, by the keys of tags,
	// sorted. Messages about the others name verbs.
	Tagged []string
	// Has names the optional functions that the tool author has set.
	Has Functions
}

// Functions names optional functions of a tool author. Each field has the name
// of a method of [Impl], which must not be called while the field is false.
type Functions struct {
	Authorize, MustAsk, Question, ConfirmWord, Precheck, Preview, ReplayUntil, ReplayWhile, Resolve, Reconcile bool
}
