package adapter

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// CheckAgain returns an error if a tool that was registered again, under a name
// that is wrapped, would have a weaker contract than before: a lower effect or
// risk, or fewer permissions. Anything else may change. The contract of next
// then replaces that of old.
func CheckAgain(old, next *contract.Tool) error {
	was := old.Document()
	is := next.Document()
	var what, remedy string
	switch {
	case !is.Effect.AtLeast(was.Effect):
		what, remedy = "effect", "declare its effect in a rule"
	case !is.Risk.AtLeast(was.Risk):
		what, remedy = "risk", "declare its risk in a rule"
	case !includes(is.Permissions, was.Permissions):
		what, remedy = "permissions", "declare its permissions in a rule"
	default:
		return nil
	}
	return &contract.DeclarationError{
		Rule: "wrap.weaker", Tool: next.Name(), Where: what,
		Message: "the tool was registered again, and its contract would be weaker than before",
		Remedy:  remedy + ", and restart the server",
	}
}

func includes(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
