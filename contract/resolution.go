package contract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/risk"
)

const (
	declaredResolve declaration[bool]  = "Resolve" // whether the function is not nil
	declaredLeast   declaration[Least] = "resolves"
)

const (
	ruleResolveNil   = "resolve.nil"
	ruleResolveLeast = "resolve.least"
)

func resolveClause() clause {
	return clause{
		members: []string{"resolves"},
		check:   checkResolve,
		effective: func(d *Document) {
			if d.Resolves != nil {
				*d.Resolves = d.Resolves.in(d)
			}
		},
		rules: []BuildRule{
			{ID: ruleResolveNil, Summary: "Resolve has a function."},
			{ID: ruleResolveLeast, Summary: "The Least of Resolve is a contract that a call can have, and no stricter than the tool's."},
		},
	}
}

// Resolve sets a function that weakens the contract for the arguments of one
// call; see [Resolution]. No resolution may be weaker than least, which is
// published so that callers know both ends. A call whose resolution is weaker
// fails with [CodeInternalError].
//
// The function must be pure: it may run several times for one call, and
// concurrently. If it panics, the declared contract applies.
//
// Callers with only some of the declared permissions can then call the tool, if
// the resolved permissions are among theirs. They see it in the list if they
// have those of DiscoverWith.
func (b *Builder[In, Out]) Resolve(least Least, resolve func(In) Resolution) *Builder[In, Out] {
	least.Permissions = slices.Clone(least.Permissions)
	declaredLeast.set(&b.verbs, least)
	declaredResolve.set(&b.verbs, resolve != nil)
	b.resolve = resolve
	return b
}

func checkResolve(c *checker) {
	hasFunction, declared := declaredResolve.in(&c.layer)
	d := &c.doc
	switch {
	case !declared:
		return
	case !hasFunction:
		c.bad(ruleResolveNil, "resolve", "Resolve was given no function", "give it one, or leave it out")
	}
	if !d.Risk.IsValid() || !d.Effect.IsValid() || !confirmations.IsValid(d.Confirmation) {
		return // that mistake is already reported
	}
	least := declaredLeast.of(&c.layer)
	d.Resolves = &least
	weakest, err := d.weakest()
	if e, ok := errors.AsType[*ResolutionError](err); ok {
		for _, message := range e.Messages {
			c.bad(ruleResolveLeast, "resolves", "the Least of Resolve: "+message, "raise it, or correct the clause that it contradicts")
		}
		return
	}
	if asserted, ok := declaredAutonomous.in(&c.layer); ok && !asserted && weakest.Autonomous && d.Risk != risk.Forbidden {
		c.bad(ruleAutonomous, "autonomous", "autonomous false contradicts Resolve, whose Least asks no person",
			"remove the assertion, or raise the confirmation of the Least")
	}
	d.Resolves = least.below(*d)
}

// below returns the part of l that is weaker than d, or nil if there is none.
func (l Least) below(d Document) *Least {
	if l.Effect == d.Effect {
		l.Effect = 0
	}
	if l.Risk == d.Risk {
		l.Risk = 0
	}
	if l.Confirmation == d.Confirmation {
		l.Confirmation = 0
	}
	if l.Permissions != nil {
		l.Permissions = slices.DeleteFunc(slices.Clone(d.Permissions),
			func(p string) bool { return !slices.Contains(l.Permissions, p) })
	}
	if len(l.Permissions) == len(d.Permissions) {
		l.Permissions = nil
	}
	if l.Effect == 0 && l.Risk == 0 && l.Confirmation == 0 && l.Permissions == nil {
		return nil
	}
	return &l
}

// weakest returns the contract of the weakest call of d, which has a Least. If
// calls need different permissions, so that there is none that all of them
// need, the contract has one of them.
func (d Document) weakest() (Document, error) {
	r := Resolution(*d.Resolves)
	if r.Permissions != nil && len(r.Permissions) == 0 && len(d.Permissions) > 1 {
		r.Permissions = d.Permissions[:1]
	}
	return d.Resolved(r)
}

// in fills in what l leaves out with the clauses of d. A value above the
// declared one counts as the declared one.
func (l Least) in(d *Document) Least {
	if !l.Effect.IsValid() || l.Effect > d.Effect {
		l.Effect = d.Effect
	}
	if !l.Risk.IsValid() || l.Risk > d.Risk {
		l.Risk = d.Risk
	}
	if !confirmations.IsValid(l.Confirmation) || l.Confirmation > d.Confirmation {
		l.Confirmation = d.Confirmation
	}
	if l.Permissions == nil {
		l.Permissions = slices.Clone(d.Permissions)
	}
	return l
}

// A Resolution weakens the contract for the arguments of one call. A zero field
// means "as declared", so the zero Resolution changes nothing. A resolution can
// only be weaker than the contract, but not weaker than its [Least]; see
// [Document.Resolved]. All other clauses apply to every call, including
// step-up, and a restricted or forbidden tool stays one.
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

// Resolved returns the contract of one call: d, weakened by r. It has no
// Resolves. A read-only call has no side effects.
//
// The error is a [*ResolutionError] if r is not between d and its Resolves, or
// contradicts itself. Without Resolves, r must not weaken anything. These are
// errors:
//   - an effect, risk or confirmation above the declared one, or below the
//     least;
//   - a risk below the minimal level of the effect;
//   - no confirmation, although the risk demands one (from critical up, and
//     from high up if d always asks) or the security level does;
//   - a permission that d does not declare, or the lack of one that the least
//     has;
//   - no permissions, although the risk is above low or the security level
//     demands them.
func (d Document) Resolved(r Resolution) (Document, error) {
	declared, least := d, Least{}
	if d.Resolves != nil {
		least = *d.Resolves
	}
	least = least.in(&d)
	d.Resolves = nil
	e := &ResolutionError{}
	if r.Effect != 0 {
		switch {
		case !r.Effect.IsValid() || !declared.Effect.AtLeast(r.Effect):
			e.bad("effect", "effect %s is above the declared %s", r.Effect, declared.Effect)
		case !r.Effect.AtLeast(least.Effect):
			e.bad("effect", "effect %s is below the least %s", r.Effect, least.Effect)
		}
		d.Effect = r.Effect
	}
	if d.Effect == risk.ReadOnly {
		d.SideEffects = nil
	}
	if r.Risk != 0 {
		switch floor := d.Effect.Floor(); {
		case !r.Risk.IsValid() || !declared.Risk.AtLeast(r.Risk):
			e.bad("risk", "risk %s is above the declared %s", r.Risk, declared.Risk)
		case !r.Risk.AtLeast(floor):
			e.bad("risk", "risk %s is below the floor %s of effect %s", r.Risk, floor, d.Effect)
		case !r.Risk.AtLeast(least.Risk):
			e.bad("risk", "risk %s is below the least %s", r.Risk, least.Risk)
		}
		d.Risk = r.Risk
	}
	if r.Confirmation != 0 {
		d.Confirmation = r.Confirmation
		e.confirmation(declared, d, least)
	}
	if r.Permissions != nil {
		d.Permissions = slices.DeleteFunc(slices.Clone(declared.Permissions),
			func(p string) bool { return !slices.Contains(r.Permissions, p) })
		e.permissions(declared, d, least, r.Permissions)
	}
	d.Autonomous = d.Confirmation == ConfirmationNever && d.Risk != risk.Forbidden
	if d.Reversibility = declared.effectiveReversibility(); d.Effect != declared.Effect {
		d.Reversibility = d.reversibility(d.Reversibility)
	}
	if len(e.Clauses) > 0 {
		return Document{}, e
	}
	return d, nil
}

func (e *ResolutionError) confirmation(declared, d Document, least Least) {
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
	case d.Confirmation < least.Confirmation:
		e.bad("confirmation", "confirmation %s is below the least %s", d.Confirmation, least.Confirmation)
	}
}

func (e *ResolutionError) permissions(declared, d Document, least Least, resolved []string) {
	for _, p := range resolved {
		if !slices.Contains(declared.Permissions, p) {
			e.bad("permissions", "%s is not one of the declared permissions", p)
		}
	}
	lacks := slices.DeleteFunc(slices.Clone(least.Permissions), func(p string) bool { return slices.Contains(resolved, p) })
	if len(lacks) > 0 {
		e.bad("permissions", "the least has %s, which the resolution lacks", strings.Join(lacks, ", "))
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
// contract or weaker than its [Least], or that contradicts itself.
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
