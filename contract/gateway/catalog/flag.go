package catalog

// A Flag marks a fact or a change that an operator must know. Empty: the fact
// or the change has no mark.
type Flag string

const (
	// Downgrade marks a fact that is weaker than in an earlier cycle, and for
	// which the operator has recorded no override.
	Downgrade Flag = "downgrade"
	// Veto marks a tool that the operator has forbidden.
	Veto Flag = "veto"
)
