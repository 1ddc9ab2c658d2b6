package catalog

import "github.com/toolcontract/toolcontract/contract/compat"

// The kinds of a [Change].
const (
	changeAdded     = "added"
	changeRemoved   = "removed"
	changeReturned  = "returned"
	changeWeaker    = "weaker"
	changeStricter  = "stricter"
	changeOther     = "other"
	changeRedefined = "redefined"
)

// A Change is one difference between two cycles.
type Change struct {
	// Tool is the name in the catalogue.
	Tool string `json:"tool"`
	// Server is the name of the [Source].
	Server string `json:"server"`
	// Kind is the kind of the change:
	//   - added: the tool was never seen before.
	//   - removed: the server no longer lists the tool.
	//   - returned: the tool was gone, and is listed again.
	//   - weaker: a fact demands less care than before, or the server withdraws
	//     the claim that a call may be repeated; see Claims of package compat.
	//   - stricter: a fact demands more care than before.
	//   - other: a fact without an order, such as the version, has a new value.
	//   - redefined: the definition differs from the one in the last list. The
	//     tool is quarantined until the definition is accepted, unless the source
	//     is the operator's own; see [Source.Own].
	//
	// A change is reported once, even if the process restarts in between.
	Kind string `json:"kind"`
	// Fact is the name of the fact. Empty: the change is about the whole tool.
	Fact string `json:"fact,omitempty"`
	// From is the remembered value and To the current one. To ignores the
	// memory, so it is the value that a downgrade asks for. For a redefined
	// tool they are digests.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Flag is [Downgrade] if the risk, effect, reversibility, trust, confirmation,
	// dry run or idempotency became weaker, unless the operator has recorded an
	// override of this fact.
	Flag Flag `json:"flag"`
	// Diff is what differs between the accepted definition of a redefined tool and
	// the listed one. It can contain text of the server. Nil: nothing differs, or
	// only parts that no contract has, such as openWorldHint, or one of the two is
	// longer than 16 KiB.
	Diff []compat.Change `json:"diff,omitempty"`
}
