package engine

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
)

// This file has the forms in which outcomes and limits name arguments and
// callers.

// maxReadings caps the readings listed in an outcome.
const maxReadings = 100

// readings lists the arguments that were read in another form, and counts those
// beyond the cap.
func readings(args *bound.Arguments) (listed []contract.Reading, more int) {
	if args == nil {
		return nil, 0
	}
	shown := args.Readings[:min(len(args.Readings), maxReadings)]
	for _, r := range shown {
		listed = append(listed, contract.Reading{Pointer: r.Pointer, As: contract.Leniency(r.Form)})
	}
	return listed, len(args.Readings) - len(shown)
}

// violations returns violations in the form of an outcome.
func violations(of []schema.Violation) []contract.Violation {
	all := make([]contract.Violation, len(of))
	for i, v := range of {
		all[i] = contract.Violation{Rule: v.Rule, Pointer: v.Pointer, Message: v.Message}
	}
	return all
}

// anonymousCallers is the issuer of the names that an adapter gives to anonymous
// callers. No principal has it.
const anonymousCallers = "\x00anonymous"

// callerName names the caller for the limit of its running calls.
func callerName(p *contract.Principal, anonymous string) string {
	if !p.IsAnonymous() {
		n := facts.NameOf(*p)
		return n.Issuer + "\x00" + n.Tenant + "\x00" + n.Subject
	}
	return anonymousCallers + anonymous
}
