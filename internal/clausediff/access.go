package clausediff

import (
	"slices"

	"github.com/toolcontract/toolcontract/risk"
)

func accessClauses() []clause {
	return []clause{
		func(d *differ) {
			d.set("/permissions", d.old.Permissions, d.now.Permissions, "permission.added", "permission.removed")
		},
		(*differ).discoverWith,
		func(d *differ) {
			old, now := d.old.ObjectAuthorization, d.now.ObjectAuthorization
			d.ordered("/objectAuthorization", old, now, compareBools(old, now), "objectAuthorization.added",
				"objectAuthorization.removed")
		},
		(*differ).securityLevel,
	}
}

// principal compares whether the clauses together demand a caller that is not
// anonymous. That demand has no member of its own.
func (d *differ) principal() {
	old := d.old.NeedsPrincipal()
	now := d.now.NeedsPrincipal()
	switch {
	case now && !old:
		d.add("principal.demanded", "", nil, nil)
	case old && !now:
		d.add("principal.waived", "", nil, nil)
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
		d.add("default.stated", pointer, orNil(old), orNil(now))
		return
	default:
		before = slices.Sorted(slices.Values(before))
		after = slices.Sorted(slices.Values(after))
	}
	d.set(pointer, before, after, "discoverWith.narrowed", "discoverWith.widened")
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

// band returns what a security level demands. Levels of one band demand the
// same.
func band(s risk.SecurityLevel) [3]bool {
	return [3]bool{s.NeedsPrincipal(), s.NeedsPermissions(), s.NeedsVerification()}
}
