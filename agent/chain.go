package agent

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// Chain sums up the calls of the session so far: those in [Options.Chain] and
// those of this agent. A call counts once, from when it is first sent, with the
// class and the risk that its contract declares, even if its arguments could
// lower them. Without a contract, they follow from the hints.
//
// A finished call stops counting if it failed and its failure rules out an
// effect, or if the server replayed the outcome of an earlier call. Both need a
// contract. Dry runs and operation lookups do not count.
func (a *Agent) Chain() risk.Chain { return a.chainWithout(nil) }

// chainWithout returns the chain of all calls except one.
func (a *Agent) chainWithout(c *call) risk.Chain {
	a.mu.Lock()
	defer a.mu.Unlock()
	sum := a.chain
	for other := range a.underway {
		if other != c {
			sum = sum.Join(other.tool.link())
		}
	}
	return sum
}

// settle counts a finished call for good, or drops it. A lost answer may hide
// an effect, even one from an earlier process.
func (a *Agent) settle(c *call, r *Result, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, sent := a.underway[c]
	delete(a.underway, c)
	if c.lost || sent && c.mattered(r, err) {
		a.chain = a.chain.Join(c.tool.link())
	}
}

// link returns the chain of one call of t.
func (t Tool) link() risk.Chain {
	d := policyContract(t)
	return risk.Chain{}.After(d.Reversibility, d.Risk)
}

// counts reports whether the call is part of the chain once it is sent.
func (c *call) counts() bool { return !c.dry && !c.agent.looksUp(c.tool) }

// mattered reports whether an answered call stays in the chain. Only a contract
// can rule that out.
func (c *call) mattered(r *Result, err error) bool {
	f := Failure{EffectPossible: true}
	switch failed := err.(type) { //nolint:errorlint // only this package's own failures
	case nil:
		f.Outcome = r.Outcome
	case *RetryError:
		f = failed.Failure
	case *FatalError:
		f = failed.Failure
	}
	replayed := f.Outcome.Status == contract.StatusReplayed && c.tool.mode().Deduplicates()
	return !c.tool.hasContract() || f.EffectPossible && !replayed
}
