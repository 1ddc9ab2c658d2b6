package contract

import "github.com/toolcontract/toolcontract/risk"

// reversibility derives the class of d from its effect and its side effects.
// undeclared is the class of a change that d does not say more about.
func (d Document) reversibility(undeclared risk.Reversibility) risk.Reversibility {
	switch d.Effect.Effective() {
	case risk.ReadOnly:
		return risk.Unchanging
	case risk.Destructive:
		return risk.Irreversible
	case risk.ExternalPublication, risk.PaidOperation:
		return max(risk.ReversibleOutside, d.hardestUndo(undeclared))
	default:
		return d.hardestUndo(undeclared)
	}
}

// hardestUndo returns the class of the side effect that is hardest to undo.
func (d Document) hardestUndo(undeclared risk.Reversibility) risk.Reversibility {
	hardest := risk.Reversible
	for _, s := range d.effectiveSideEffects() {
		switch {
		case !undos.IsValid(s.Undo):
			hardest = max(hardest, undeclared)
		case s.Undo == Irreversible:
			return risk.Irreversible
		case s.Reach.Effective() == External:
			hardest = max(hardest, risk.ReversibleOutside)
		}
	}
	return hardest
}

// effectiveReversibility returns the published class, unless the rest of d
// contradicts it. Without one it returns the derived class. A summary publishes
// the class, because its side effects have only descriptions.
func (d Document) effectiveReversibility() risk.Reversibility {
	if !d.Reversibility.IsValid() {
		return d.reversibility(risk.Irreversible)
	}
	return max(d.Reversibility, d.reversibility(d.Reversibility))
}
