package compat

import (
	"cmp"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
)

func consentClauses() []clause {
	return []clause{
		{
			rules: []Kind{
				{ID: "confirmation.raised", Class: Breaking,
					Summary: "A person is asked more often.",
					Reason:  "A client that cannot ask is refused, and a person may decline."},
				{ID: "confirmation.lowered", Class: Additive, Downgrade: true,
					Summary: "A person is asked less often.",
					Reason:  "Every call still works. Fewer calls are confirmed by a person."},
			},
			compare: func(d *differ) {
				order := compareConfirmations(d)
				ordered(d, "/confirmation", d.old.Confirmation, d.now.Confirmation, order, "confirmation.raised", "confirmation.lowered")
			},
		},
		// Whether an agent may run the tool without a person. That follows from
		// the confirmation, except for forbidden tools and documents of other
		// servers, so it is compared only if the confirmation is the same.
		{
			rules: []Kind{
				{ID: "autonomous.granted", Class: Additive, Downgrade: true,
					Summary: "An agent may run the tool without a person.",
					Reason:  "Every call still works. No person has to be present."},
				{ID: "autonomous.revoked", Class: Breaking,
					Summary: "An agent may not run the tool without a person.",
					Reason:  "Agents that ran alone need a person now."},
			},
			compare: func(d *differ) {
				switch old, now := d.old.Autonomous, d.now.Autonomous; {
				case old == now || compareConfirmations(d) != 0:
				case now:
					d.add("autonomous.granted", "/autonomous", old, now)
				default:
					d.add("autonomous.revoked", "/autonomous", old, now)
				}
			},
		},
		{
			rules: []Kind{
				{ID: "typedConfirmation.added", Class: Breaking,
					Summary: "A person types a word to confirm a call.",
					Reason:  "Clients and approvers that only ask for yes or no cannot confirm any more."},
				{ID: "typedConfirmation.removed", Class: Additive, Downgrade: true,
					Summary: "A person no longer types a word to confirm a call.",
					Reason:  "Every call still works. A person may confirm without reading."},
			},
			compare: func(d *differ) {
				old, now := d.old.TypedConfirmation, d.now.TypedConfirmation
				ordered(d, "/typedConfirmation", old, now, compareBools(old, now), "typedConfirmation.added", "typedConfirmation.removed")
			},
		},
		{
			rules: []Kind{
				{ID: "stepUp.added", Class: Breaking,
					Summary: "The tool demands a step-up.",
					Reason:  "A caller has to authenticate again, more recently or more strongly."},
				{ID: "stepUp.removed", Class: Additive, Downgrade: true,
					Summary: "The tool demands no step-up any more.",
					Reason:  "Every call still works. A valid session is enough."},
				{ID: "stepUp.stricter", Class: Breaking,
					Summary: "A step-up demands more.",
					Reason:  "A caller's authentication may be too old or too weak now."},
				{ID: "stepUp.looser", Class: Additive, Downgrade: true,
					Summary: "A step-up demands less.",
					Reason:  "Every call still works. An older or weaker authentication is enough."},
				{ID: "stepUp.acr", Class: Breaking, Downgrade: true,
					Summary: "A step-up demands another authentication class.",
					Reason:  "Classes have no order: callers with the old class are refused, and the new class may be weaker."},
				{ID: "stepUp.when", Class: Patch,
					Summary: "The description of when a step-up is demanded changed.",
					Reason:  "It is for people. The age and the class are enforced."},
			},
			compare: (*differ).stepUp,
		},
		{
			rules: []Kind{
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
		},
	}
}

func compareConfirmations(d *differ) int {
	return cmp.Compare(d.now.effective.Confirmation, d.old.effective.Confirmation)
}

func (d *differ) stepUp() {
	const pointer, stricter, looser = "/stepUp", "stepUp.stricter", "stepUp.looser"
	old, now := d.old.StepUp, d.now.StepUp
	if !present(d, pointer, old, now, "stepUp.added", "stepUp.removed") {
		return
	}
	limit(d, pointer+"/maxAgeSeconds", int64(old.MaxAge/time.Second), int64(now.MaxAge/time.Second), stricter, looser)
	switch acr := pointer + "/acr"; {
	case old.ACR == now.ACR:
	case old.ACR == "":
		d.add(stricter, acr, nil, now.ACR)
	case now.ACR == "":
		d.add(looser, acr, old.ACR, nil)
	default:
		d.add("stepUp.acr", acr, old.ACR, now.ACR)
	}
	d.text("stepUp.when", pointer+"/when", old.When, now.When)
}

func (d *differ) dryRun() {
	const pointer = "/dryRun"
	from := orNothing(d.old.DryRun)
	to := orNothing(d.now.DryRun)
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
