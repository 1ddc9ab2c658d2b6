package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/risk"
)

func accessClauses() []clause {
	return []clause{
		{
			rules: []Kind{
				{ID: "permission.added", Class: Breaking,
					Summary: "One more permission is needed.",
					Reason:  "Callers without it get permission_denied, and do not see the tool in the list."},
				{ID: "permission.removed", Class: Additive, Downgrade: true,
					Summary: "A permission is no longer needed.",
					Reason:  "Every call still works. Callers without the permission may call too."},
			},
			compare: func(d *differ) {
				d.set("/permissions", d.old.Permissions, d.now.Permissions, "permission.added", "permission.removed", "")
			},
		},
		{
			rules: []Kind{
				{ID: "discoverWith.narrowed", Class: Breaking,
					Summary: "One more permission is needed to see the tool.",
					Reason:  "Callers without it no longer find the tool."},
				{ID: "discoverWith.widened", Class: Additive, Downgrade: true,
					Summary: "A permission is no longer needed to see the tool.",
					Reason:  "Every caller still finds it. Callers without the permission see it too."},
			},
			compare: (*differ).discoverWith,
		},
		{
			rules: []Kind{
				{ID: "objectAuthorization.added", Class: Breaking,
					Summary: "The arguments of a call decide whether its caller may make it.",
					Reason:  "Calls for objects of others get permission_denied."},
				{ID: "objectAuthorization.removed", Class: Additive, Downgrade: true,
					Summary: "The arguments of a call no longer decide whether its caller may make it.",
					Reason:  "Every call still works. Callers may name objects of others too."},
			},
			compare: func(d *differ) {
				old, now := d.old.ObjectAuthorization, d.now.ObjectAuthorization
				ordered(d, "/objectAuthorization", old, now, compareBools(old, now), "objectAuthorization.added",
					"objectAuthorization.removed")
			},
		},
		// The demands of several clauses together on anonymous callers. They
		// have no member of their own.
		{
			rules: []Kind{
				{ID: "principal.demanded", Class: Breaking,
					Summary: "Anonymous callers are refused now.",
					Reason:  "Callers that do not authenticate get unauthenticated."},
				{ID: "principal.waived", Class: Additive, Downgrade: true,
					Summary: "Anonymous callers are admitted now.",
					Reason:  "Every call still works. Callers without an identity may call too."},
			},
			compare: func(d *differ) {
				old := d.old.NeedsPrincipal()
				now := d.now.NeedsPrincipal()
				switch {
				case now && !old:
					d.add("principal.demanded", "", nil, nil)
				case old && !now:
					d.add("principal.waived", "", nil, nil)
				}
			},
		},
		{
			rules: []Kind{
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
		},
	}
}

func (d *differ) discoverWith() {
	const pointer = "/discoverWith"
	old, now := d.old.DiscoverWith, d.now.DiscoverWith
	before, after := d.old.effective.DiscoverWith, d.now.effective.DiscoverWith
	switch {
	case len(old) == 0 && len(now) == 0:
		return // all of Permissions count, which have a clause of their own
	case len(old) > 0 && len(now) > 0:
	case sameWords(before, after):
		d.add("default.stated", pointer, listOrNothing(old), listOrNothing(now))
		return
	default:
		before = slices.Sorted(slices.Values(before))
		after = slices.Sorted(slices.Values(after))
	}
	d.set(pointer, before, after, "discoverWith.narrowed", "discoverWith.widened", "")
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
