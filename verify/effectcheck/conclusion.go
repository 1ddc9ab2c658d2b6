package effectcheck

// A Conclusion is whether the source of a tool agrees with its contract. It is
// never a proof. The zero value is none: the tool was not analyzed.
type Conclusion string

const (
	// Consistent means that no call was found that the contract excludes.
	Consistent Conclusion = "consistent"
	// Unknown means that a call was found whose effect the source does not
	// show. It is no pass.
	Unknown Conclusion = "unknown"
	// Contradicted means that a call was found that the contract excludes.
	Contradicted Conclusion = "contradicted"
)
