package compat

import (
	"slices"
)

// discoverWithClause compares the permissions that show the tool in the list.
func discoverWithClause() clause {
	return clause{
		rules: []Rule{
			{ID: "discoverWith.narrowed", Class: Breaking,
				Summary: "One more permission is needed to see the tool.",
				Reason:  "Callers without it no longer find the tool."},
			{ID: "discoverWith.widened", Class: Additive, Downgrade: true,
				Summary: "A permission is no longer needed to see the tool.",
				Reason:  "Every caller still finds it. Callers without the permission see it too."},
		},
		compare: (*differ).discoverWith,
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
		before, after = slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))
	}
	d.set(pointer, before, after, "discoverWith.narrowed", "discoverWith.widened", "")
}
