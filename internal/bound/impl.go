package bound

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/internal/schema"
)

// An Impl is what the guard needs of a built tool besides its document. Its only
// implementation is impl in contract/impl.go. Tests of contracts embed an Impl
// and replace some of its methods.
//
// An Impl is safe for concurrent use. Its methods recover panics of the tool
// author's code, unless their comments exclude it.
type Impl interface {
	// Facts returns the values that do not depend on a call. The caller must
	// not change them.
	Facts() *Facts
	// Asking returns doc as it is published if the guard may ask a person about
	// every call. doc is the tool's contract, or one that its arguments have
	// weakened. Both are a contract.Document.
	Asking(doc any) any
	// Decode parses and validates raw arguments. Nil and null mean no
	// arguments. If there are violations, the arguments have at most Panic.
	Decode(raw []byte) (*Arguments, []schema.Violation)
	// DecodePart reads some of the members of arguments, as Decode would read them
	// together with the rest. The Input of the result is nil. It reports only
	// violations of the given members.
	DecodePart(raw []byte) (*Arguments, []schema.Violation)
	// Run calls the handler with Arguments.In. The error is nil if the handler
	// returned a typed nil of a failure. Run does not contain panics.
	Run(ctx context.Context, in any) (any, error)
	// Parts splits the handler's result: the output for Encode, the content
	// (a []contract.Content) and the members of _meta. Content and meta are nil
	// unless the result is a contract.Reply.
	Parts(result any) (output, content any, meta map[string]any)
	// Encode encodes the handler's output, as JSON and as its tree. Only fields
	// that may leave the server are included. The JSON is nil for an empty
	// result. The tree may be [Checked].
	Encode(out any) (raw []byte, tree any, err error)
	// Hidden returns the values in a tree of arguments that no text may carry out
	// of the server, longest first. Secrets returns those of them that the person
	// who confirms the call must not see either.
	Hidden(tree any) []string
	Secrets(tree any) []string
	// Shown returns a tree of arguments in the form in which a person who
	// confirms the call may see it.
	Shown(tree any) []Shown

	// The functions below are optional, see [Functions]. Each reads an input of
	// its own from the canonical arguments. None contains panics, except
	// EncodePreview.

	// Authorize decides whether a principal, a contract.Principal, may make a
	// call.
	Authorize(ctx context.Context, principal any, canonical []byte) error
	// Precheck reports why a call would fail.
	Precheck(ctx context.Context, canonical []byte) error
	// Resolve lowers risk and effect for a call. It returns a
	// contract.Resolution.
	Resolve(canonical []byte) (any, error)
	// MustAsk reports whether a call must be confirmed, if the contract asks
	// under a condition ("when").
	MustAsk(canonical []byte) bool
	// Question describes a call in the tool author's words.
	Question(canonical []byte) (string, error)
	// ConfirmWord returns the word that a person types to confirm a call.
	ConfirmWord(canonical []byte) (string, error)
	// ReplayUntil returns the time until which a result may be replayed.
	ReplayUntil(canonical []byte, out any) (time.Time, error)
	// ReplayWhile reports whether a stored output, as JSON, may still be
	// replayed.
	ReplayWhile(ctx context.Context, canonical, stored []byte) (bool, error)
	// Reconcile asks whether an earlier call had its effect, which was claimed at
	// since.
	Reconcile(ctx context.Context, canonical []byte, since time.Time) (Reconciled, error)
	// Preview calls the function of the dry run.
	Preview(ctx context.Context, canonical []byte) (Preview, error)
	// EncodePreview encodes a preview, as JSON and as its tree. Only fields
	// that may leave the server are included. A preview without Data is encoded
	// without warnings too.
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
