package effectcheck

// A Conclusion says whether a tool's source agrees with its contract. It is
// never a proof. The zero value is not a conclusion: the tool was not analyzed.
type Conclusion string

const (
	// Consistent means that no call was found that the contract rules out.
	Consistent Conclusion = "consistent"
	// Unknown means that a call was found whose effect the source does not
	// show. It is not a pass.
	Unknown Conclusion = "unknown"
	// Contradicted means that a call was found that the contract rules out.
	Contradicted Conclusion = "contradicted"
)
