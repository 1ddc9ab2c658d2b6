package compat

import (
	"github.com/toolcontract/toolcontract/risk"
)

// securityLevelClause compares the security levels by their bands.
func securityLevelClause() clause {
	return clause{
		rules: []Rule{
			{ID: "securityLevel.raised", Class: Breaking,
				Summary: "The security level is in a higher band.",
				Reason:  "A caller has to prove more than before."},
			{ID: "securityLevel.adjusted", Class: Patch,
				Summary: "The security level is higher, in the same band.",
				Reason:  "A caller has to prove the same as before."},
			{ID: "securityLevel.lowered", Class: Additive, Downgrade: true,
				Summary: "The security level is lower.",
				Reason:  "Every call still works. Callers have to prove less."},
		},
		compare: (*differ).securityLevel,
	}
}

func (d *differ) securityLevel() {
	const pointer = "/securityLevel"
	switch old, now := d.old.SecurityLevel, d.now.SecurityLevel; {
	case old == now:
	case now < old:
		d.add("securityLevel.lowered", pointer, old, now)
	case band(old) == band(now):
		d.add("securityLevel.adjusted", pointer, old, now)
	default:
		d.add("securityLevel.raised", pointer, old, now)
	}
}

// band returns the demands of a security level. Levels of one band demand the
// same.
func band(s risk.SecurityLevel) [3]bool {
	return [3]bool{s.NeedsPrincipal(), s.NeedsPermissions(), s.NeedsVerification()}
}
