package contract

import "github.com/toolcontract/toolcontract/internal/declare"

// A BuildRule is one of the rules that Build checks.
type BuildRule struct {
	// ID is stable: a [DeclarationError] carries it. It is the clause or thing
	// that the rule is about, a dot, and what is wrong, each as a lower camel
	// case word.
	ID string
	// Summary is what the rule demands.
	Summary string
}

// A DeclarationError is one mistake in the declaration of a tool or a server.
// It comes from Build or from the registration of a tool. Both report all
// mistakes at once, joined; [DeclarationErrors] lists them.
type DeclarationError struct {
	// Rule is a stable identifier, such as "risk.floor"; [BuildRules] lists
	// those of Build.
	Rule string
	// Tool is the tool's name, as far as it is known.
	Tool string
	// Where is a clause of the document, or a Go field.
	Where string
	// Message says what is wrong.
	Message string
	// Remedy says how to fix it.
	Remedy string
}

// Error returns "contract: tool NAME: [RULE] WHERE: MESSAGE; REMEDY", without
// the parts that are empty.
func (e *DeclarationError) Error() string {
	text := "contract: "
	if e.Tool != "" {
		text += "tool " + e.Tool + ": "
	}
	return text + declare.MistakeText(e.Rule, e.Where, e.Message, e.Remedy)
}

// DeclarationErrors returns every [DeclarationError] in the tree of err, in
// order. It returns nil for a nil err.
func DeclarationErrors(err error) []*DeclarationError {
	return declare.Mistakes[*DeclarationError](err)
}
