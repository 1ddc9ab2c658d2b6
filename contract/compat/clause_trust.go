package compat

import (
	"cmp"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

func trustClauses() []clause {
	return []clause{
		// The trust in results. Levels have no total order: each may demand a
		// caution that the other does not.
		{
			rules: []Kind{
				{ID: "contentTrust.stricter", Class: Breaking,
					Summary: "The content is trusted less.",
					Reason:  "Callers used results with less care than they need now, and may refuse them."},
				{ID: "contentTrust.weaker", Class: Additive, Downgrade: true,
					Summary: "The content is trusted more.",
					Reason:  "Every result can be used as before. Consumers are less careful with it."},
				{ID: "contentTrust.other", Class: Breaking, Downgrade: true,
					Summary: "The content needs another kind of care.",
					Reason:  "Neither kind includes the other: callers need a care that they did not take, and drop one that they did."},
			},
			compare: (*differ).contentTrust,
		},
		// Which texts are delimited. If neither contract declares it, the trust
		// in results is compared instead.
		{
			rules: []Kind{
				{ID: "delimit.more", Class: Breaking,
					Summary: "More texts are delimited.",
					Reason:  "A program that read such a text finds lines around it."},
				{ID: "delimit.fewer", Class: Additive, Downgrade: true,
					Summary: "Fewer texts are delimited.",
					Reason:  "Every text can be read as before. A model may follow instructions in it."},
			},
			compare: func(d *differ) {
				old, now := d.old.Delimit, d.now.Delimit
				if old == 0 && now == 0 {
					return
				}
				order := cmp.Compare(now.Effective(d.now.ContentTrust), old.Effective(d.old.ContentTrust))
				ordered(d, "/delimit", old, now, order, "delimit.more", "delimit.fewer")
			},
		},
		// Which parts of results lose hidden characters.
		{
			rules: []Kind{
				{ID: "sanitize.more", Class: Breaking,
					Summary: "More of a result loses hidden characters.",
					Reason:  "A program that needs these characters no longer gets them."},
				{ID: "sanitize.less", Class: Additive, Downgrade: true,
					Summary: "Less of a result loses hidden characters.",
					Reason:  "Every result can be read as before. Hidden text can reach a model, and escapes a terminal."},
			},
			compare: func(d *differ) {
				order := cmp.Compare(d.old.Sanitize.Effective(), d.now.Sanitize.Effective())
				ordered(d, "/sanitize", d.old.Sanitize, d.now.Sanitize, order, "sanitize.more", "sanitize.less")
			},
		},
		// What a tool reads, and whether it sends data out. A declaration of
		// what the contract implied already changes nothing.
		{
			rules: []Kind{
				{ID: "reads.more", Class: Breaking,
					Summary: "Results may contain data that needs more care.",
					Reason:  "Callers used results with less care than they need now."},
				{ID: "reads.less", Class: Additive, Downgrade: true,
					Summary: "Results contain data that needs less care.",
					Reason:  "Every result can be used as before. Hosts are less careful with it."},
				{ID: "sends.added", Class: Breaking,
					Summary: "A call sends data out of the system.",
					Reason:  "Callers passed data that they did not agree to send out."},
				{ID: "sends.removed", Class: Additive, Downgrade: true,
					Summary: "A call no longer sends data out of the system.",
					Reason:  "Every call still works. Hosts are less careful with its arguments."},
			},
			compare: func(d *differ) {
				d.reads()
				if d.old.Sends != d.now.Sends {
					ordered(d, "/sends", d.old.Sends, d.now.Sends, compareBools(d.old.effective.Sends, d.now.effective.Sends), "sends.added",
						"sends.removed")
				}
			},
		},
	}
}

func (d *differ) contentTrust() {
	const pointer = "/contentTrust"
	old, now := d.old.effective.ContentTrust, d.now.effective.ContentTrust
	order := 0
	switch weaker := now.IsWeakerThan(old); {
	case weaker && old.IsWeakerThan(now):
		d.add("contentTrust.other", pointer, orNothing(d.old.ContentTrust), orNothing(d.now.ContentTrust))
		return
	case weaker:
		order = -1
	case old != now:
		order = 1
	}
	ordered(d, pointer, d.old.ContentTrust, d.now.ContentTrust, order, "contentTrust.stricter", "contentTrust.weaker")
}

func (d *differ) reads() {
	const pointer = "/reads"
	if slices.Equal(d.old.Reads, d.now.Reads) {
		return
	}
	from := orNoReads(d.old.Reads)
	to := orNoReads(d.now.Reads)
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

// cares returns the kinds of data that need care. Undeclared data may not be
// public, and is the zero value.
func cares(reads []contract.DataKind) []contract.DataKind {
	var kinds []contract.DataKind
	if !slices.Contains(reads, contract.PublicData) {
		kinds = append(kinds, 0)
	}
	return append(kinds, slices.DeleteFunc(slices.Clone(reads),
		func(k contract.DataKind) bool { return k == contract.PublicData })...)
}

// orNoReads returns nil for no kinds of data, so that the change has no value.
func orNoReads(kinds []contract.DataKind) any {
	if len(kinds) == 0 {
		return nil
	}
	return kinds
}
