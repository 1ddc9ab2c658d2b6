package trifecta

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A Subject is one tool that a model can call.
type Subject struct {
	// Server is the name of its server. Empty: the tools are of one server.
	Server string
	// Contract is its contract.
	Contract contract.Document
}

func (t *Subject) name() Name { return Name{Server: t.Server, Tool: t.Contract.Name} }

// A Combination lists tools by role. Each list is sorted by server and name.
// The zero value is that of no tools.
type Combination struct {
	// Untrusted are the tools whose results may contain untrusted data.
	Untrusted []Part `json:"untrusted"`
	// Private are the tools whose results may contain private data.
	Private []Part `json:"private"`
	// Sends are the tools that can carry data from their arguments out.
	Sends []Sender `json:"sends"`
	// Undeclared are the tools that declare neither public nor private data.
	// Any of them may read private data that this report lacks.
	Undeclared []Name `json:"undeclared"`
}

// A Name identifies a tool.
type Name struct {
	// Server is the name of its server. Empty: the tools are of one server.
	Server string `json:"server,omitempty"`
	// Tool is the name of the tool.
	Tool string `json:"tool"`
}

// String returns the tool's name, after the server and a slash if there is a
// server.
func (n Name) String() string {
	if n.Server == "" {
		return n.Tool
	}
	return n.Server + "/" + n.Tool
}

func (n Name) compare(other Name) int {
	return cmp.Or(cmp.Compare(n.Server, other.Server), cmp.Compare(n.Tool, other.Tool))
}

// A Part is a tool in one of the three roles.
type Part struct {
	Name

	// Clause is the clause of the contract that gives the tool its role:
	// "reads", "sends", "contentTrust", "effect" or "sideEffects".
	Clause string `json:"clause"`
	// Derived is true if the role follows from a clause that declares something
	// else.
	Derived bool `json:"derived,omitempty"`
}

// A Sender is a tool that sends data out.
type Sender struct {
	Part

	// Confirmation is when a person is asked before a call.
	Confirmation contract.Confirmation `json:"confirmation"`
}

// IsConfirmed reports whether a person is asked before every call. A
// confirmation for some arguments is not enough, because the other arguments
// can carry the data.
func (s Sender) IsConfirmed() bool { return s.Confirmation == contract.ConfirmationAlways }

// Find returns the tools by role. Forbidden tools have none, because no model
// can call them. Clauses that a contract leaves out count as
// [contract.Document.Effective] fills them in.
func Find(tools ...Subject) Combination {
	r := Combination{Untrusted: []Part{}, Private: []Part{}, Sends: []Sender{}, Undeclared: []Name{}}
	for _, t := range byName(tools) {
		declared := t.Contract
		d := t.Contract.Effective()
		if d.Risk == risk.Forbidden {
			continue
		}
		name := t.name()
		part := func(clause string, derived bool) Part { return Part{Name: name, Clause: clause, Derived: derived} }
		for _, kind := range d.Reads {
			clause, derived := "reads", false
			if !slices.Contains(declared.Reads, kind) {
				clause, derived = "contentTrust", true
			}
			switch kind {
			case contract.UntrustedData:
				r.Untrusted = append(r.Untrusted, part(clause, derived))
			case contract.PrivateData:
				r.Private = append(r.Private, part(clause, derived))
			case contract.PublicData:
			}
		}
		if !slices.Contains(d.Reads, contract.PrivateData) && !slices.Contains(d.Reads, contract.PublicData) {
			r.Undeclared = append(r.Undeclared, name)
		}
		if d.Sends {
			r.Sends = append(r.Sends, Sender{Part: part(sendingClause(declared)), Confirmation: confirmationOf(d)})
		}
	}
	return r
}

// confirmationOf returns when a person is asked before a tool's calls. If the
// arguments can waive the confirmation, only some calls are confirmed.
func confirmationOf(d contract.Document) contract.Confirmation {
	if d.Resolves != nil {
		return min(d.Confirmation, max(d.Resolves.Confirmation, contract.ConfirmationWhen))
	}
	return d.Confirmation
}

// byName returns the tools in the order of their names.
func byName(tools []Subject) []*Subject {
	sorted := make([]*Subject, len(tools)) // sorting a type of its own would cost each server 15 kB
	for i := range tools {
		sorted[i] = &tools[i]
	}
	slices.SortFunc(sorted, func(a, b *Subject) int { return a.name().compare(b.name()) })
	return sorted
}

// sendingClause returns the clause by which a tool sends data, and whether the
// role is derived.
func sendingClause(declared contract.Document) (clause string, derived bool) {
	switch {
	case declared.Sends:
		return "sends", false
	case declared.Effect == risk.ExternalPublication:
		return "effect", true
	default:
		return "sideEffects", true
	}
}

// IsComplete reports whether all three roles are taken, so that the tools can
// leak private data together. One tool may have several roles.
func (r Combination) IsComplete() bool {
	return len(r.Untrusted) > 0 && len(r.Private) > 0 && len(r.Sends) > 0
}

// Unconfirmed returns the tools that must ask a person before every call but do
// not. It returns nil unless the report is complete.
func (r Combination) Unconfirmed() []Sender {
	if !r.IsComplete() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Sends), Sender.IsConfirmed)
}

// String returns the combination in one sentence, such as "web.fetch reads
// untrusted data, mail.list reads private data, mail.send sends data out:
// mail.send must confirm every call". It names one tool of each role and counts
// the others. It returns "" unless the report is complete.
func (r Combination) String() string {
	if !r.IsComplete() {
		return ""
	}
	senders := r.Unconfirmed()
	end := "must confirm every call"
	if len(senders) == 0 {
		senders, end = r.Sends, "confirms every call"
		if len(senders) > 1 {
			end = "confirm every call"
		}
	}
	return fmt.Sprintf("%s, %s, %s: %s %s",
		does(r.Untrusted, "reads", "untrusted data"), does(r.Private, "reads", "private data"), does(senders, "sends", "data out"),
		names(senders), end)
}

// does returns "TOOL reads DATA" or "TOOL and N others read DATA".
func does[T fmt.Stringer](parts []T, verb, data string) string {
	if len(parts) > 1 {
		verb = verb[:len(verb)-1]
	}
	return names(parts) + " " + verb + " " + data
}

// names returns the name of the first part, and the number of the others.
func names[T fmt.Stringer](parts []T) string {
	first := parts[0].String()
	switch more := len(parts) - 1; more {
	case 0:
		return first
	case 1:
		return first + " and " + parts[1].String()
	default:
		return fmt.Sprintf("%s and %d others", first, more)
	}
}
