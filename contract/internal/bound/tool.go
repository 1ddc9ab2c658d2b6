package bound

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

// A Key opens a tool's private half. Its zero value opens nothing, so that it
// cannot be had by type inference outside the packages below contract.
type Key struct{ valid bool }

// NewKey returns a key that opens.
func NewKey() Key { return Key{valid: true} }

// Opens reports whether k came from [NewKey].
func (k Key) Opens() bool { return k.valid }

// Arguments are one call's, after they were read strictly, completed with
// defaults and held to the schema.
type Arguments struct {
	// In is the author's input value, bound from exactly Tree.
	In any
	// Tree is the same as JSON values.
	Tree any
	// Canonical is the RFC 8785 form of Tree, with exact integers.
	Canonical []byte
	// DryRun says that the caller asks what the call would do. DryRunToken is
	// what it brings from such an answer. Neither is in the fields above.
	DryRun      bool
	DryRunToken string
}

// An OutputKind says what a handler returns.
type OutputKind int

const (
	// Structured output is a JSON object with a schema.
	Structured OutputKind = iota
	// Text output is a string.
	Text
	// Empty output says nothing.
	Empty
)

// A Preview is a dryrun.Preview, whose package this one is below.
type Preview struct {
	Data                any
	MissingPermissions  []string
	ExpectedSideEffects []string
	Warnings            []string
	EstimatedDuration   time.Duration
}

// Shown is one argument as the person who confirms may see it.
type Shown struct {
	// Name is the member's name, as the caller or the schema wrote it.
	Name string
	// Text is its value as JSON, in one line, without secrets.
	Text string
	// Review says that the text may not be cut.
	Review bool
}

// A Tool is what the guard needs of a built tool besides its document. Its
// functions contain the author's panics, except Run, and are safe for
// concurrent use.
type Tool struct {
	// Decode reads raw arguments. Nil and null mean no arguments.
	Decode func(raw []byte) (*Arguments, []schema.Violation)
	// Run calls the handler with Arguments.In. It does not contain panics.
	Run func(ctx context.Context, in any) (any, error)
	// MustAsk decides by the arguments, of which it gets a copy of its own,
	// where the contract says "when"; it is nil otherwise.
	MustAsk func(canonical []byte) bool
	// Encode writes what the handler returned, as JSON and as the tree of it,
	// with only those fields that may leave.
	Encode func(out any) (raw []byte, tree any, err error)
	// Output says what Encode's result is.
	Output OutputKind
	// OutputSchema is nil unless Output is Structured.
	OutputSchema *schema.Schema
	// Preview calls the function of a dry run with Arguments.In; nil where there
	// is none. It does not contain panics.
	Preview func(ctx context.Context, in any) (Preview, error)
	// EncodePreview writes a preview, as JSON and as the tree of it, with only
	// those fields that may leave. One without Data has no warnings either.
	EncodePreview func(Preview) (raw []byte, tree any, err error)
	// PreviewSchema is nil where Preview is.
	PreviewSchema *schema.Schema
	// Hidden returns the values in a tree of arguments that must not reach a
	// log, longest first.
	Hidden func(tree any) []string
	// Shown returns a tree of arguments as the person who confirms may see it.
	Shown func(tree any) []Shown
	// OtherErrors is the code under which an undeclared error leaves with its
	// text, "" where it leaves as an internal error with none.
	OtherErrors string
	// ReplayUntil says until when a result may be replayed; nil where the
	// author gave no such function. It does not contain panics.
	ReplayUntil func(in, out any) time.Time
	// Resolve says how mild a call is, a contract.Resolution, by the canonical
	// arguments; nil where the author gave no such function. It does not contain
	// panics.
	Resolve func(canonical []byte) (any, error)
}
