package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/risk"
)

const declaredResolve declaration[bool] = "Resolve" // whether it was given a function

const ruleResolveNil = "resolve.nil"

func resolveClause() clause {
	return clause{
		check: checkResolve,
		rules: []BuildRule{{ID: ruleResolveNil, Summary: "Resolve has a function."}},
	}
}

// Resolve sets a function that weakens the contract for the arguments of one
// call; see [Resolution]. The function must be pure: it may run several times
// for one call, and concurrently. If it panics, the declared contract applies.
//
// Callers with only some of the declared permissions can then call the tool, if
// the resolved permissions are among theirs. They see it in the list if they
// have those of DiscoverWith.
func (b *Builder[In, Out]) Resolve(resolve func(In) Resolution) *Builder[In, Out] {
	declaredResolve.set(&b.verbs, resolve != nil)
	b.resolve = resolve
	return b
}

func checkResolve(c *checker) {
	if hasFunction, isDeclared := declaredResolve.in(&c.layer); isDeclared && !hasFunction {
		c.bad(ruleResolveNil, "resolve", "Resolve was given no function", "give it one, or leave it out")
	}
}

// A Resolution weakens the contract for the arguments of one call. A zero field
// means "as declared", so the zero Resolution changes nothing. A resolution can
// only be weaker than the contract: see [Document.Resolved]. All other clauses
// apply to every call, including step-up, and a restricted or forbidden tool
// stays one.
type Resolution struct {
	// Effect, Risk and Confirmation apply to this call. A lower effect does not
	// lower the risk, and a lower risk does not weaken the confirmation.
	Effect       risk.Effect
	Risk         risk.Level
	Confirmation Confirmation
	// Permissions replaces the declared permissions and must be a subset of
	// them. Nil: as declared.
	Permissions []string
}

// Resolved returns the contract of one call: d, weakened by r. A read-only call
// has no side effects.
//
// The error is a [*ResolutionError] if r is stricter than d or contradicts
// itself:
//   - an effect, risk or confirmation above the declared one;
//   - a risk below the minimal level of the effect;
//   - no confirmation, although the risk demands one (from critical up, and
//     from high up if d always asks) or the security level does;
//   - a permission that d does not declare;
//   - no permissions, although the risk is above low or the security level
//     demands them.
func (d Document) Resolved(r Resolution) (Document, error) {
	declared := d
	e := &ResolutionError{}
	if r.Effect != 0 {
		if !r.Effect.IsValid() || !declared.Effect.AtLeast(r.Effect) {
			e.bad("effect", "effect %s is above the declared %s", r.Effect, declared.Effect)
		}
		d.Effect = r.Effect
	}
	if d.Effect == risk.ReadOnly {
		d.SideEffects = nil
	}
	if r.Risk != 0 {
		if !r.Risk.IsValid() || !declared.Risk.AtLeast(r.Risk) {
			e.bad("risk", "risk %s is above the declared %s", r.Risk, declared.Risk)
		} else if floor := d.Effect.Floor(); !r.Risk.AtLeast(floor) {
			e.bad("risk", "risk %s is below the floor %s of effect %s", r.Risk, floor, d.Effect)
		}
		d.Risk = r.Risk
	}
	if r.Confirmation != 0 {
		d.Confirmation = r.Confirmation
		e.confirmation(declared, d)
	}
	if r.Permissions != nil {
		d.Permissions = slices.DeleteFunc(slices.Clone(declared.Permissions),
			func(p string) bool { return !slices.Contains(r.Permissions, p) })
		e.permissions(declared, d, r.Permissions)
	}
	d.Autonomous = d.Confirmation == ConfirmationNever && d.Risk != risk.Forbidden
	if len(e.Clauses) > 0 {
		return Document{}, e
	}
	return d, nil
}

func (e *ResolutionError) confirmation(declared, d Document) {
	switch basis := d.confirmationBasis(); {
	case !confirmations.IsValid(d.Confirmation) || d.Confirmation > declared.Confirmation:
		e.bad("confirmation", "confirmation %s is above the declared %s", d.Confirmation, declared.Confirmation)
	case d.Confirmation == declared.Confirmation:
	case d.Confirmation != ConfirmationNever:
		e.bad("confirmation", "confirmation %s has no meaning for one call; use never or always", d.Confirmation)
	case basis.AtLeast(risk.Critical), basis.AtLeast(risk.High) && declared.Confirmation == ConfirmationAlways:
		e.bad("confirmation", "a call at %s needs a confirmation", basis)
	case declared.SecurityLevel.NeedsVerification() && declared.StepUp == nil:
		e.bad("confirmation", "security level %d demands a confirmation", declared.SecurityLevel)
	}
}

func (e *ResolutionError) permissions(declared, d Document, resolved []string) {
	for _, p := range resolved {
		if !slices.Contains(declared.Permissions, p) {
			e.bad("permissions", "%s is not one of the declared permissions", p)
		}
	}
	if len(d.Permissions) > 0 || len(declared.Permissions) == 0 {
		return
	}
	if d.Risk.AtLeast(risk.Medium) {
		e.bad("permissions", "a call at %s needs permissions", d.Risk)
	} else if declared.SecurityLevel.NeedsPermissions() {
		e.bad("permissions", "security level %d demands permissions", declared.SecurityLevel)
	}
}

// A ResolutionError is returned for a [Resolution] that is stricter than the
// contract or contradicts itself.
type ResolutionError struct {
	// Clauses names the wrong clauses, in the order effect, risk, confirmation,
	// permissions.
	Clauses []string
	// Messages has the reason for each one.
	Messages []string
}

// Error names every clause.
func (e *ResolutionError) Error() string {
	return "contract: the resolution is not within the contract: " + strings.Join(e.Messages, "; ")
}

func (e *ResolutionError) bad(clause, format string, a ...any) {
	e.Clauses = append(e.Clauses, clause)
	e.Messages = append(e.Messages, fmt.Sprintf(format, a...))
}
