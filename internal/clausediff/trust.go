package clausediff

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

func trustClauses() []clause {
	return []clause{
		// The trust in results. Levels have no total order: each of two may
		// demand a caution that the other does not.
		(*differ).contentTrust,
		// Which texts are delimited. If neither contract declares it, the trust
		// in results is compared instead.
		func(d *differ) {
			old, now := d.old.Delimit, d.now.Delimit
			if old == 0 && now == 0 {
				return
			}
			order := cmp.Compare(now.Effective(d.now.ContentTrust), old.Effective(d.old.ContentTrust))
			d.ordered("/delimit", old, now, order, "delimit.more", "delimit.fewer")
		},
		// Which parts of results lose hidden characters.
		func(d *differ) {
			order := cmp.Compare(d.old.Sanitize.Effective(), d.now.Sanitize.Effective())
			d.ordered("/sanitize", d.old.Sanitize, d.now.Sanitize, order, "sanitize.more", "sanitize.less")
		},
		// What a tool reads, and whether it sends data out. Declaring what the
		// contract already implied changes nothing.
		func(d *differ) {
			d.reads()
			if d.old.Sends != d.now.Sends {
				d.ordered("/sends", d.old.Sends, d.now.Sends, compareBools(d.old.effective.Sends, d.now.effective.Sends), "sends.added",
					"sends.removed")
			}
		},
	}
}

func (d *differ) contentTrust() {
	const pointer = "/contentTrust"
	old, now := d.old.effective.ContentTrust, d.now.effective.ContentTrust
	order := 0
	switch weaker := now.IsWeakerThan(old); {
	case weaker && old.IsWeakerThan(now):
		d.add("contentTrust.other", pointer, orNil(d.old.ContentTrust), orNil(d.now.ContentTrust))
		return
	case weaker:
		order = -1
	case old != now:
		order = 1
	}
	d.ordered(pointer, d.old.ContentTrust, d.now.ContentTrust, order, "contentTrust.stricter", "contentTrust.weaker")
}

func (d *differ) reads() {
	const pointer = "/reads"
	if slices.Equal(d.old.Reads, d.now.Reads) {
		return
	}
	from := orNil(d.old.Reads)
	to := orNil(d.now.Reads)
	old := cares(d.old.effective.Reads)
	now := cares(d.now.effective.Reads)
	if more := slices.ContainsFunc(now, func(k contract.DataKind) bool { return !slices.Contains(old, k) }); more {
		d.add("reads.more", pointer, from, to)
	}
	if less := slices.ContainsFunc(old, func(k contract.DataKind) bool { return !slices.Contains(now, k) }); less {
		d.add("reads.less", pointer, from, to)
	}
	if slices.Equal(old, now) {
		d.stated(pointer, from, to)
	}
}

// cares returns the kinds of data that need care. Undeclared data, which is the
// zero value, might not be public.
func cares(reads []contract.DataKind) []contract.DataKind {
	var kinds []contract.DataKind
	if !slices.Contains(reads, contract.PublicData) {
		kinds = append(kinds, 0)
	}
	return append(kinds, slices.DeleteFunc(slices.Clone(reads),
		func(k contract.DataKind) bool { return k == contract.PublicData })...)
}
