package effectcheck

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	ruleReadOnly  = "readonly.effect"
	ruleDryRun    = "dryrun.effect"
	rulePrecheck  = "precheck.effect"
	ruleReconcile = "reconcile.effect"
	ruleReach     = "reach.external"
	ruleSource    = "source.missing"
)

// judge compares a capability with a contract. rule is "" if the conclusion is
// Consistent. voids means that the function may answer that a call cannot
// happen, so that a write may be what makes the system refuse its key.
func judge(d contract.Document, part string, c Capability, voids bool) (concluded Conclusion, rule, clause, remedy string) {
	switch {
	case c.kind() == reads:
		return Consistent, "", "", ""
	case part == dryRunPart:
		return c.inReadOnly(), ruleDryRun, "a dry run changes nothing", "remove the call from the dry run"
	case part == precheckPart:
		return c.inReadOnly(), rulePrecheck, "a precheck has no effect, because no person has been asked yet",
			"remove the call from the precheck"
	case part == reconcilePart:
		concluded = c.inReadOnly()
		if voids {
			concluded = Unknown
		}
		return concluded, ruleReconcile, "a reconciliation asks the system, and changes nothing, except to make it refuse a key",
			"remove the call from the reconciliation"
	case d.Effect == risk.ReadOnly:
		return c.inReadOnly(), ruleReadOnly, "the contract declares effect read-only",
			"declare the write with Effect, or remove the call"
	case isInternal(d) && !c.staysInside():
		return Unknown, ruleReach, "the contract declares only internal side effects",
			"declare a side effect with the reach External, or remove the call"
	}
	return Consistent, "", "", ""
}

func (c Capability) inReadOnly() Conclusion {
	if c.kind() == writes {
		return Contradicted
	}
	return Unknown
}

// isInternal reports whether all effects of a writing tool stay within its
// system.
func isInternal(d contract.Document) bool {
	for _, s := range d.Effective().SideEffects {
		if s.Reach.Effective() == contract.External {
			return false
		}
	}
	return d.Effect != risk.ExternalPublication && d.Effect != risk.PaidOperation && d.Effect != 0
}
