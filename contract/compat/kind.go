package compat

// A Class is the number of the version that a change of a contract asks for, by
// Semantic Versioning. The zero value means that nothing changed.
type Class string

const (
	// Patch changes concern texts, and parts that no caller notices: PATCH.
	Patch Class = "patch"
	// Additive changes do not affect existing calls, and allow or promise more:
	// MINOR.
	Additive Class = "additive"
	// Breaking changes may refuse or surprise a caller that followed the old
	// contract: MAJOR.
	Breaking Class = "breaking"
)

// A Kind is one kind of change and how [Diff] classifies it. A change whose
// class depends on its direction has two kinds.
type Kind struct {
	// ID is the stable identifier of its rule, as in [Change].Rule.
	ID string
	// Class is the part of the version number that the change demands to raise.
	Class Class
	// Downgrade reports whether a care or protection is weaker after the
	// change.
	Downgrade bool
	// Unknown reports whether the direction of the change cannot be determined.
	// Class is Breaking then.
	Unknown bool
	// Summary is the change in a sentence.
	Summary string
	// Reason explains why the change has its class, from the caller's view. For
	// a downgrade it also gives the operator's view.
	Reason string
}
