package contracttest

// A Finding is one place where a contract falls short of a [Rule].
type Finding struct {
	// Rule is the ID of the rule, such as "trust.undeclared".
	Rule string `json:"rule"`
	// Severity is the rule's.
	Severity Severity `json:"severity"`
	// Tool is the name of the tool, "" where the finding is of none.
	Tool string `json:"tool,omitempty"`
	// Clause is where in the contract's document it is, as a path of member names: "sideEffects/0",
	// "inputSchema/properties/to". It may name a member that is missing.
	Clause string `json:"clause,omitempty"`
	// Message says what is wrong.
	Message string `json:"message"`
	// Remedy says what to do.
	Remedy string `json:"remedy"`
	// Accepted is the reason given to [Report.Accept], "" where the finding was not accepted.
	Accepted string `json:"accepted,omitempty"`
}

// String returns the finding in one line, without the parts that are empty:
// "error [trust.undeclared] mail.send: contentTrust: MESSAGE; REMEDY".
func (f Finding) String() string {
	where := ""
	if f.Tool != "" {
		where = f.Tool + ": "
	}
	if f.Clause != "" {
		where += f.Clause + ": "
	}
	text := f.Severity.String() + " [" + f.Rule + "] " + where + f.Message + "; " + f.Remedy
	if f.Accepted != "" {
		text += " (accepted: " + f.Accepted + ")"
	}
	return text
}

// fails reports whether f fails a test.
func (f Finding) fails() bool {
	return f.Accepted == "" && (f.Severity == Error || !f.Severity.IsValid())
}
