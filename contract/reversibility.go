package contract

import "github.com/toolcontract/toolcontract/risk"

// reversibility derives the class of d from its effect and its side effects.
// undeclared is the class of whatever the side effects leave out.
func (d Document) reversibility(undeclared risk.Reversibility) risk.Reversibility {
	class := risk.Unchanging
	switch d.Effect.Effective() {
	case risk.Destructive:
		return risk.Irreversible
	case risk.ExternalPublication, risk.PaidOperation:
		class = risk.ReversibleOutside
	case risk.ReadOnly, risk.LowRiskWrite, risk.HighRiskWrite: // the side effects decide
	}
	for _, s := range d.effectiveSideEffects() {
		switch s = s.in(undeclared); {
		case s.Undo == Irreversible:
			return risk.Irreversible
		case s.Reach == External:
			class = risk.ReversibleOutside
		default:
			class = max(class, risk.Reversible)
		}
	}
	return class
}

// in fills in what s leaves out, as it counts in a call of this class.
func (s SideEffect) in(class risk.Reversibility) SideEffect {
	if !reaches.IsValid(s.Reach) && !class.AtLeast(risk.ReversibleOutside) {
		s.Reach = Internal
	}
	if !undos.IsValid(s.Undo) && !class.AtLeast(risk.Irreversible) {
		s.Undo = Reversible
	}
	s.Reach, s.Undo = s.Reach.Effective(), s.Undo.Effective()
	return s
}

// effectiveReversibility returns the published class, or the derived one if
// that is stricter or none is published. A summary publishes the class, because
// its side effects are only descriptions.
func (d Document) effectiveReversibility() risk.Reversibility {
	if !d.Reversibility.IsValid() {
		return d.reversibility(risk.Irreversible)
	}
	return max(d.Reversibility, d.reversibility(d.Reversibility))
}
