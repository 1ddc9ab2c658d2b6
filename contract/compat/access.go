package compat

import "slices"

// access compares which permissions it takes to call the tool and to see it.
func (d *differ) access() {
	d.set("/permissions", d.old.Permissions, d.now.Permissions, "permission.added", "permission.removed")
	d.text("noPermissions.changed", "/noPermissions", d.old.NoPermissions, d.now.NoPermissions)
	d.discoverWith()
}

func (d *differ) discoverWith() {
	const pointer = "/discoverWith"
	old, now := d.old.DiscoverWith, d.now.DiscoverWith
	if len(old) == 0 && len(now) == 0 {
		return // it takes all of Permissions, which have been compared
	}
	before, after := listOr(old, d.old.Permissions), listOr(now, d.now.Permissions)
	if len(old) == 0 || len(now) == 0 {
		slices.Sort(before)
		slices.Sort(after)
		if slices.Equal(before, after) {
			d.add("default.stated", pointer, listOrNothing(old), listOrNothing(now))
			return
		}
	}
	d.set(pointer, before, after, "discoverWith.narrowed", "discoverWith.widened")
}

// listOr returns a copy of list, or of instead where that is empty.
func listOr(list, instead []string) []string {
	if len(list) == 0 {
		list = instead
	}
	return slices.Clone(list)
}

func listOrNothing[T any](list []T) any {
	if len(list) == 0 {
		return nil
	}
	return list
}
