package catalog

// A ChangeKind is a kind of [Change]. The constants are all kinds.
type ChangeKind string

const (
	// Added: the tool was never seen before.
	Added ChangeKind = "added"
	// Removed: the server does not list the tool any more.
	Removed ChangeKind = "removed"
	// Returned: the tool was gone, and is listed again.
	Returned ChangeKind = "returned"
	// Weaker: a fact demands less care than before.
	Weaker ChangeKind = "weaker"
	// Stricter: a fact demands more care than before.
	Stricter ChangeKind = "stricter"
	// Other: a fact without an order, such as the version, has another value.
	Other ChangeKind = "other"
	// Redefined: the title, the description, a schema or another part of the
	// definition that is no fact has changed.
	Redefined ChangeKind = "redefined"
)

// A Change is one difference between two cycles.
type Change struct {
	// Tool is the name in the catalogue.
	Tool string `json:"tool"`
	// Server is the name of the [Source].
	Server string `json:"server"`
	// Kind is the kind of the change.
	Kind ChangeKind `json:"kind"`
	// Fact is the name of the fact. Empty: the change is about the whole tool.
	Fact string `json:"fact,omitempty"`
	// From and To are the values in the memory of the catalogue and now. Now
	// means without the memory, so To is the value that a downgrade asks for.
	// For a tool that is [Redefined] they are digests.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Flag is [Downgrade] for a risk, an effect, a trust, a confirmation, a dry
	// run or an idempotency that is weaker, unless the operator has recorded an
	// override of this fact.
	Flag Flag `json:"flag"`
}
