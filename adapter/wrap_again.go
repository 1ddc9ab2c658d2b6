package adapter

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/clausediff"
)

// CheckAgain returns an error if a tool that was registered again under a
// wrapped name would have a weaker contract than before, by package compat's
// view of protections. Anything else may change; next then replaces old.
func (w *Wrapper) CheckAgain(old, next *contract.Tool) error { return w.checkAgain(old, next) }

func checkAgain(old, next *contract.Tool) error {
	weaker := clausediff.Weaker(clausediff.Protections, old.Document(), next.Document())
	if len(weaker) == 0 {
		return nil
	}
	clause := weaker[0].Clause()
	return &contract.DeclarationError{
		Rule: "wrap.weaker", Tool: next.Name(), Where: clause,
		Message: "the tool was registered again, and its contract would be weaker than before",
		Remedy:  "declare its " + clause + " in a rule, and restart the server",
	}
}
