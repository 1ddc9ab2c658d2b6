package verify

// A Conclusion is what [Tool] concludes about one claim of a contract. There is
// no proof among the conclusions: a handler that does what its contract
// declares in a few calls may do something else in others. The zero value is no
// conclusion: the claim does not apply to the tool.
type Conclusion string

const (
	// Consistent means that the claim was observed and nothing contradicts it.
	Consistent Conclusion = "consistent"
	// Unknown means that nothing was observed, or that no witness sees enough.
	// It never counts as a pass.
	Unknown Conclusion = "unknown"
	// Contradicted means that a call did what the claim excludes.
	Contradicted Conclusion = "contradicted"
)
