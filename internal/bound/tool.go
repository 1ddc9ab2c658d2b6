package bound

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/internal/schema"
)

// A Tool is what the guard needs of a built tool besides its document. Its only
// implementation is half in contract/half.go, whose methods have the same
// names. Tests of contracts embed a Tool, and replace some methods.
//
// A Tool is safe for concurrent use. Its methods contain panics of the tool
// author's code unless their comment excludes it.
type Tool interface {
	// Facts returns the values that do not depend on a call. The caller must
	// not change them. See half.Facts.
	Facts() *Facts
	// Decode parses and validates raw arguments. Nil and null mean no
	// arguments. If there are violations, the arguments have at most Panic. See
	// half.Decode.
	Decode(raw []byte) (*Arguments, []schema.Violation)
	// Compared returns canonical arguments, or some of them, without the
	// members that equal their default. See Arguments.Compared.
	Compared(canonical []byte) []byte
	// Run calls the handler with Arguments.In. The error is nil if the handler
	// returned a typed nil of a failure. Run does not contain panics. See
	// half.Run.
	Run(ctx context.Context, in any) (any, error)
	// Parts splits the handler's result: the output for Encode, the content
	// (a []contract.Content) and the members of _meta. Content and meta are nil
	// unless the result is a contract.Reply. See half.Parts.
	Parts(result any) (output, content any, meta map[string]any)
	// Encode encodes the handler's output, as JSON and as its tree. Only fields
	// that may leave the server are included. The JSON is nil for an empty
	// result. The tree may be [Checked]. See half.Encode.
	Encode(out any) (raw []byte, tree any, err error)
	// Hidden returns the values in a tree of arguments that must not be logged,
	// longest first. See half.Hidden.
	Hidden(tree any) []string
	// Shown returns a tree of arguments in the form in which a person who
	// confirms the call may see it. See half.Shown.
	Shown(tree any) []Shown

	// The functions below are optional, see [Functions]. Each reads an input of
	// its own from the canonical arguments. None contains panics, except
	// EncodePreview.

	// Authorize decides whether a principal, a contract.Principal, may make a
	// call. See half.Authorize.
	Authorize(ctx context.Context, principal any, canonical []byte) error
	// Precheck reports why a call would fail. See half.Precheck.
	Precheck(ctx context.Context, canonical []byte) error
	// Resolve lowers risk and effect for a call. It returns a
	// contract.Resolution. See half.Resolve.
	Resolve(canonical []byte) (any, error)
	// MustAsk reports whether a call must be confirmed, if the contract asks
	// under a condition ("when"). See half.MustAsk.
	MustAsk(canonical []byte) bool
	// Question describes a call in the tool author's words. See half.Question.
	Question(canonical []byte) (string, error)
	// ConfirmWord returns the word that a person types to confirm a call. See
	// half.ConfirmWord.
	ConfirmWord(canonical []byte) (string, error)
	// ReplayUntil returns the time until which a result may be replayed. See
	// half.ReplayUntil.
	ReplayUntil(canonical []byte, out any) (time.Time, error)
	// ReplayWhile reports whether a stored output, as JSON, may still be
	// replayed. See half.ReplayWhile.
	ReplayWhile(ctx context.Context, canonical, stored []byte) (bool, error)
	// Preview calls the function of the dry run. See half.Preview.
	Preview(ctx context.Context, canonical []byte) (Preview, error)
	// EncodePreview encodes a preview, as JSON and as its tree. Only fields
	// that may leave the server are included. A preview without Data is encoded
	// without warnings too. See half.EncodePreview.
	EncodePreview(p Preview) (raw []byte, tree any, err error)
}

// Checked stands for the tree of structured JSON that fits the output schema
// and has only plain text, see strictjson.IsPlain.
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
