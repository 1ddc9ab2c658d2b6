package catalog

// A Status is whether a gateway may serve a tool. Only [Served] tools can be
// listed and called.
type Status string

// The statuses.
const (
	// Served tools can be listed and called.
	Served Status = "served"
	// Quarantined tools are not served until the operator decides. The problems
	// of the entry have the reason.
	Quarantined Status = "quarantined"
	// Vetoed tools are forbidden by the operator.
	Vetoed Status = "vetoed"
)
