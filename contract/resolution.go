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
		rules: []Rule{{ID: ruleResolveNil, Summary: "Resolve has a function."}},
	}
}

// Resolve sets a function that weakens the contract for the arguments of one
// call; see [Resolution]. The function must be pure: it may run several times
// for one call, and concurrently. If it panics, the call counts as declared.
//
// Callers with only some of the declared permissions reach a tool that resolves.
// They find it in the list if they have those of DiscoverWith.
func (b *Builder[In, Out]) Resolve(resolve func(In) Resolution) *Builder[In, Out] {
	declaredResolve.set(&b.verbs, resolve != nil)
	b.resolve = resolve
	return b
}

func checkResolve(c *checker) {
	if hasFunction, said := declaredResolve.in(&c.layer); said && !hasFunction {
		c.bad(ruleResolveNil, "resolve", "Resolve was given no function", "give it one, or leave it out")
	}
}

// A Resolution says how mild one call of a tool is, by its arguments. A zero
// field means "as declared", so that the zero Resolution changes nothing. A
// resolution can only be milder than what is declared: see [Document.Resolved].
// Everything else of a contract holds for every call, a step-up too.
type Resolution struct {
	// Effect, Risk and Confirmation are those of this call. A milder effect does
	// not lower the risk by itself, nor a lower risk the confirmation.
	Effect       risk.Effect
	Risk         risk.Level
	Confirmation Confirmation
	// Permissions replaces the declared ones, of which it names some, where it is
	// not nil.
	Permissions []string
}

// Resolved returns the contract of one call: d, with what r says of it. A call
// without an effect has no side effects either.
//
// The error is a [*ResolutionError] where r is wilder than d, or contradicts
// itself: an effect, risk or confirmation above the declared one; a risk below
// the floor of the effect; a confirmation that is left out where the level still
// demands one (from critical up, or from high up where d always asks) or the
// security level does; a permission that d does not name; no permissions above
// low, or where the security level has them checked.
func (d Document) Resolved(r Resolution) (Document, error) {
	declared, e := d, &ResolutionError{}
	if !r.Effect.IsZero() {
		if !r.Effect.IsValid() || !declared.Effect.AtLeast(r.Effect) {
			e.bad("effect", "effect %s is above the declared %s", r.Effect, declared.Effect)
		}
		d.Effect = r.Effect
	}
	if d.Effect == risk.ReadOnly {
		d.SideEffects = nil
	}
	if !r.Risk.IsZero() {
		if !r.Risk.IsValid() || !declared.Risk.AtLeast(r.Risk) {
			e.bad("risk", "risk %s is above the declared %s", r.Risk, declared.Risk)
		} else if floor := d.Effect.Floor(); !r.Risk.AtLeast(floor) {
			e.bad("risk", "risk %s is below the floor %s of effect %s", r.Risk, floor, d.Effect)
		}
		d.Risk = r.Risk
	}
	if !r.Confirmation.IsZero() {
		d.Confirmation = r.Confirmation
		e.confirmation(declared, d)
	}
	if r.Permissions != nil {
		d.Permissions = slices.DeleteFunc(slices.Clone(declared.Permissions), func(p string) bool { return !slices.Contains(r.Permissions, p) })
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
	case !d.Confirmation.IsValid() || d.Confirmation > declared.Confirmation:
		e.bad("confirmation", "confirmation %s is above the declared %s", d.Confirmation, declared.Confirmation)
	case d.Confirmation == declared.Confirmation:
	case d.Confirmation == ConfirmationWhen:
		e.bad("confirmation", "confirmation when says nothing of one call; say never or always")
	case basis.AtLeast(risk.Critical), basis.AtLeast(risk.High) && declared.Confirmation == ConfirmationAlways:
		e.bad("confirmation", "a call at %s is not left unasked", basis)
	case declared.SecurityLevel.NeedsVerification() && declared.StepUp == nil:
		e.bad("confirmation", "security level %d demands a confirmation", declared.SecurityLevel)
	}
}

func (e *ResolutionError) permissions(declared, d Document, said []string) {
	for _, p := range said {
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

// A ResolutionError says that a [Resolution] is not one of a contract's.
type ResolutionError struct {
	// Clauses names what is wrong, in the order effect, risk, confirmation,
	// permissions.
	Clauses []string
	// Messages says for each of them how.
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
