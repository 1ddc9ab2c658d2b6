package bound

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/internal/coerce"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Half is embedded in a built tool and holds its private part. It has no
// exported methods, because they would become methods of the tool.
type Half struct{ tool *Tool }

// Bind returns the half of t.
func Bind(t *Tool) Half { return Half{t} }

func (h *Half) half() *Tool { return h.tool }

func (h *Half) rebind(t *Tool) { h.tool = t }

// Of returns the private half of a built tool.
func Of(tool interface{ half() *Tool }) *Tool { return tool.half() }

// Rebind gives a copy of a built tool another private half. Tests of contracts
// observe the functions of a tool in this way. Never pass a tool that others
// may use, because tools are immutable.
func Rebind(tool interface{ rebind(t *Tool) }, t *Tool) { tool.rebind(t) }

// Arguments are the arguments of one call. They were parsed strictly, completed
// with defaults and validated against the schema.
type Arguments struct {
	// In points to the handler's input value, decoded from exactly Canonical.
	// No other function gets it, because a function can write into its input.
	In any
	// Canonical is the RFC 8785 form of the arguments, with exact integers.
	Canonical []byte
	// DryRun is true if the caller asks for a preview of the call. The fields
	// above do not contain it.
	DryRun bool
	// DryRunToken is the token that the caller carries over from the answer to
	// a dry run. The fields above do not contain it.
	DryRunToken string
	// Readings lists the arguments that were read in another form. The fields
	// above have the form that the schema demands.
	Readings []coerce.Reading
	// Panic is the panic of a method of the tool author that read the
	// arguments. The arguments are then invalid and the fields above are zero.
	Panic *panics.Error
}

// Tree returns the arguments as JSON values. Each call reads them anew.
func (a *Arguments) Tree() any {
	tree, err := strictjson.Parse(a.Canonical, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(a.Canonical))})
	if err != nil {
		return nil // cannot happen, because the canonical form was written from such values
	}
	return tree
}

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

// Checked stands for the tree of structured JSON that fits OutputSchema and
// has only plain text, see strictjson.IsPlain.
type Checked struct{}

// A Preview mirrors dryrun.Preview, because this package cannot import package
// dryrun.
type Preview struct {
	Data                any
	MissingPermissions  []string
	ExpectedSideEffects []string
	Warnings            []string
	EstimatedDuration   time.Duration
}

// Shown is one argument in the form in which a person who confirms the call may
// see it.
type Shown struct {
	// Name is the member's name, as the caller or the schema wrote it.
	Name string
	// Text is the member's value as JSON on one line, without secrets.
	Text string
	// Review forbids cutting the text.
	Review bool
}

// A Tool holds what the guard needs of a built tool besides its document. Its
// functions are safe for concurrent use. They contain panics of the tool
// author's code unless their comment excludes it.
type Tool struct {
	// Handler and DryRun are the code of the tool author's functions behind Run
	// and Preview. DryRun is 0 if the tool has no dry run.
	Handler, DryRun uintptr
	// Decode parses and validates raw arguments. Nil and null mean no
	// arguments. If there are violations, the arguments have at most Panic.
	Decode func(raw []byte) (*Arguments, []schema.Violation)
	// Run calls the handler with Arguments.In. The error is nil if the handler
	// returned a typed nil of a failure. Run does not contain panics.
	Run func(ctx context.Context, in any) (any, error)
	// Authorize decides whether a principal, a contract.Principal, may make a
	// call with the canonical arguments. It does not contain panics. It is nil
	// if the tool author set no such function.
	Authorize func(ctx context.Context, principal any, canonical []byte) error
	// MustAsk reports whether a call with these arguments must be confirmed. It
	// receives a copy of the canonical arguments. It is nil unless the contract
	// asks under a condition ("when"). It does not contain panics.
	MustAsk func(canonical []byte) bool
	// Question describes a call in the tool author's words, and ConfirmWord
	// returns the word that a person types to confirm it, both for the
	// canonical arguments. They do not contain panics. They are nil if the tool
	// author set no such function.
	Question, ConfirmWord func(canonical []byte) (string, error)
	// Encode encodes the handler's result, as JSON and as its tree. Only fields
	// that may leave the server are included. The JSON is nil for an empty
	// result. The tree may be [Checked].
	Encode func(out any) (raw []byte, tree any, err error)
	// Parts splits the handler's result: the output for Encode, the content
	// (a []contract.Content) and the members of _meta. Content and meta are nil
	// unless the result is a contract.Reply.
	Parts func(result any) (output, content any, meta map[string]any)
	// CallsMethods means that Decode, Encode and EncodePreview may call methods
	// of the tool author's types. They contain panics of them, and cannot
	// contain the end of their goroutine.
	CallsMethods bool
	// Output is the kind of result that Encode returns.
	Output OutputKind
	// OutputSchema is nil unless Output is Structured.
	OutputSchema *schema.Schema
	// Preview calls the dry run's function with an input of its own, read from
	// the canonical arguments. It does not contain panics. It is nil if the
	// tool has no dry run.
	Preview func(ctx context.Context, canonical []byte) (Preview, error)
	// EncodePreview encodes a preview, as JSON and as its tree. Only fields
	// that may leave the server are included. A preview without Data is encoded
	// without warnings too.
	EncodePreview func(Preview) (raw []byte, tree any, err error)
	// PreviewSchema is nil if Preview is nil.
	PreviewSchema *schema.Schema
	// Hidden returns the values in a tree of arguments that must not be logged,
	// longest first.
	Hidden func(tree any) []string
	// Shown returns a tree of arguments in the form in which a person who
	// confirms the call may see it.
	Shown func(tree any) []Shown
	// OtherErrors is the code of undeclared errors, whose text is then returned
	// too. If it is empty, an undeclared error becomes an internal error
	// without a text.
	OtherErrors string
	// Tagged lists the declarations that only tags make, by the keys of tags,
	// sorted. Messages about the others name verbs.
	Tagged []string
	// Rounds is how often the handler may ask for an input in one call, with an
	// [InputRequiredError]. Zero: never.
	Rounds int
	// ReplayUntil returns the time until which a result may be replayed, for
	// the canonical arguments. It does not contain panics. It is nil if the
	// tool author set no such function.
	ReplayUntil func(canonical []byte, out any) (time.Time, error)
	// Resolve lowers risk and effect for the canonical arguments. It returns a
	// contract.Resolution. It does not contain panics. It is nil if the tool
	// author set no such function.
	Resolve func(canonical []byte) (any, error)
}
