package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// dataFlowClause compares what a tool reads, and whether it sends data out. A
// declaration of what the contract implied already changes nothing.
func dataFlowClause() clause {
	return clause{
		rules: []Rule{
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
				ordered(d, "/sends", d.old.Sends, d.now.Sends, compareBools(d.old.effective.Sends, d.now.effective.Sends), "sends.added", "sends.removed")
			}
		},
	}
}

func (d *differ) reads() {
	const pointer = "/reads"
	if slices.Equal(d.old.Reads, d.now.Reads) {
		return
	}
	from, to := orNoReads(d.old.Reads), orNoReads(d.now.Reads)
	old, now := cares(d.old.effective.Reads), cares(d.now.effective.Reads)
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

// cares returns the kinds of data that need care. Data that may not be public,
// because that is not declared, is [contract.UndeclaredDataKind].
func cares(reads []contract.DataKind) []contract.DataKind {
	var kinds []contract.DataKind
	if !slices.Contains(reads, contract.PublicData) {
		kinds = append(kinds, contract.UndeclaredDataKind)
	}
	return append(kinds, slices.DeleteFunc(slices.Clone(reads), func(k contract.DataKind) bool { return k == contract.PublicData })...)
}

// orNoReads returns nil for no kinds of data, so that the change has no value.
func orNoReads(kinds []contract.DataKind) any {
	if len(kinds) == 0 {
		return nil
	}
	return kinds
}
