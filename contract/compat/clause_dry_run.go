package compat

import (
	"github.com/toolcontract/toolcontract/dryrun"
)

// dryRunClause compares whether the tool can or must be tried first.
func dryRunClause() clause {
	return clause{
		rules: []Rule{
			{ID: "dryRun.added", Class: Additive,
				Summary: "A dry run is possible.",
				Reason:  "Calls without it work as before."},
			{ID: "dryRun.required", Class: Breaking,
				Summary: "A dry run has to come first.",
				Reason:  "Calls without it get dry_run_required."},
			{ID: "dryRun.relaxed", Class: Additive, Downgrade: true,
				Summary: "A dry run no longer has to come first.",
				Reason:  "Every call still works. It may run without a dry run."},
			{ID: "dryRun.removed", Class: Breaking, Downgrade: true,
				Summary: "A dry run is no longer possible.",
				Reason:  "Callers that try a dry run first are refused, and the effect of a call cannot be previewed."},
		},
		compare: (*differ).dryRun,
	}
}

func (d *differ) dryRun() {
	const pointer = "/dryRun"
	from, to := orNothing(d.old.DryRun), orNothing(d.now.DryRun)
	switch old, now := d.old.effective.DryRun, d.now.effective.DryRun; {
	case old == now:
		d.stated(pointer, from, to)
	case now == dryrun.Required:
		d.add("dryRun.required", pointer, from, to)
	case now == dryrun.None:
		d.add("dryRun.removed", pointer, from, to)
	case old == dryrun.Required:
		d.add("dryRun.relaxed", pointer, from, to)
	default:
		d.add("dryRun.added", pointer, from, to)
	}
}
