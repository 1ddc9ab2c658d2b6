package contracttest

// A Finding is one place where a contract breaks a [Demand].
type Finding struct {
	// Rule is the ID of the rule, such as "trust.undeclared".
	Rule string `json:"rule"`
	// Severity is the rule's severity.
	Severity Severity `json:"severity"`
	// Host is the name of the host that [InspectHosts] found it for. Empty: the
	// finding is not about a host.
	Host string `json:"host,omitempty"`
	// Tool is the name of the tool; for [InspectHosts], its name as listed.
	// Empty: the finding is not about a single tool.
	Tool string `json:"tool,omitempty"`
	// Clause is the place in the contract's document, as a path of member names
	// such as "sideEffects/0" or "inputSchema/properties/to". The member may be
	// missing.
	Clause string `json:"clause,omitempty"`
	// Message describes the problem.
	Message string `json:"message"`
	// Remedy is the demand's advice.
	Remedy string `json:"remedy"`
	// Accepted is the reason given to [Inspection.Accept]. Empty: the finding
	// is not accepted.
	Accepted string `json:"accepted,omitempty"`
}

// String returns the finding on one line, leaving out empty parts: "error
// [trust.undeclared] mail.send: contentTrust: MESSAGE; REMEDY".
func (f Finding) String() string {
	where := ""
	if f.Tool != "" {
		where = f.Tool + ": "
	}
	if f.Clause != "" {
		where += f.Clause + ": "
	}
	text := string(f.Severity) + " [" + f.Rule + "] " + where + f.Message + "; " + f.Remedy
	if f.Accepted != "" {
		text += " (accepted: " + f.Accepted + ")"
	}
	return text
}

func (f Finding) fails() bool {
	return f.Accepted == "" && f.Severity != Warning && f.Severity != Info
}
