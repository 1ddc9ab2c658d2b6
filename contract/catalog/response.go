package catalog

// A Response is what a catalogue does with a tool that became weaker. The zero
// value is [Quarantine].
type Response uint8

const (
	// Quarantine does not serve the tool until the operator records an
	// override for each fact that became weaker.
	Quarantine Response = iota
	// Hold serves the tool with the stricter facts of the earlier cycle until
	// the operator records an override.
	Hold
	// Report serves the tool with its new facts. The downgrade is reported in
	// one cycle only.
	Report
)
