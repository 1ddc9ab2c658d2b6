package bound

import (
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Arguments are the arguments of one call. They were parsed strictly, completed
// with defaults and validated against the schema.
type Arguments struct {
	// In points to the handler's input value, decoded from exactly Canonical.
	// No other function gets it, because a function can write into its input.
	In any
	// Canonical is the RFC 8785 form of the arguments, with exact integers.
	Canonical []byte
	// Compared is Canonical without the members that equal their default, and
	// with every duration in one form. It identifies equal calls: a call that
	// leaves out such a member is the same call, even to a version of the
	// contract that lacks the member. If the contract does not deduplicate
	// calls, it is Canonical itself.
	Compared []byte
	// DryRun is true if the caller asks for a preview of the call. The fields
	// above do not contain it.
	DryRun bool
	// DryRunToken is the token that the caller carries over from the answer to
	// a dry run. The fields above do not contain it.
	DryRunToken string
	// Readings lists the arguments that were read in another form. The fields
	// above have the form that the schema demands.
	Readings []schema.Reading
	// Misfits lists how arguments that are passed on break the schema, which is
	// only reported.
	Misfits []schema.Violation
	// Panic is the panic of a tool author's method that read the arguments. The
	// arguments are then invalid and the fields above are zero.
	Panic *contain.PanicError
}

// Tree returns the arguments as JSON values. Each call parses them anew.
func (a *Arguments) Tree() any { return treeOf(a.Canonical) }

// ComparedTree is [Arguments.Tree] without the members that equal their
// default.
func (a *Arguments) ComparedTree() any { return treeOf(a.Compared) }

func treeOf(canonical []byte) any {
	// Arguments that were read in another form can be larger and deeper than
	// those that were sent.
	room := max(strictjson.DefaultElements, len(canonical))
	tree, err := strictjson.Parse(canonical, strictjson.Limits{Depth: room, Elements: room})
	if err != nil {
		return nil // cannot happen, because the canonical form was written from such values
	}
	return tree
}
