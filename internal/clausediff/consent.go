package clausediff

import (
	"cmp"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
)

func consentClauses() []clause {
	return []clause{
		func(d *differ) {
			order := compareConfirmations(d)
			d.ordered("/confirmation", d.old.Confirmation, d.now.Confirmation, order, "confirmation.raised", "confirmation.lowered")
		},
		// Whether an agent may run the tool without a person. That follows from
		// the confirmation, except for forbidden tools and other servers'
		// documents, so it is left out beside a change from which it follows.
		func(d *differ) {
			follows := func(s side) bool { return s.Autonomous == (s.effective.Confirmation == contract.ConfirmationNever) }
			switch old, now := d.old.Autonomous, d.now.Autonomous; {
			case old == now || compareConfirmations(d) != 0 && follows(d.old) && follows(d.now):
			case now:
				d.add("autonomous.granted", "/autonomous", old, now)
			default:
				d.add("autonomous.revoked", "/autonomous", old, now)
			}
		},
		func(d *differ) {
			old, now := d.old.TypedConfirmation, d.now.TypedConfirmation
			d.ordered("/typedConfirmation", old, now, compareBools(old, now), "typedConfirmation.added", "typedConfirmation.removed")
		},
		(*differ).stepUp,
		(*differ).dryRun,
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
	d.limit(pointer+"/maxAgeSeconds", int64(old.MaxAge/time.Second), int64(now.MaxAge/time.Second), stricter, looser)
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
	from := orNil(d.old.DryRun)
	to := orNil(d.now.DryRun)
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
