package compat

// consent compares what stands between a call and its run: a person, and a
// fresh authentication.
func (d *differ) consent() {
	d.confirmation()
	d.stepUp()
}

func (d *differ) confirmation() {
	const pointer = "/confirmation"
	from, to := orNothing(d.old.Confirmation), orNothing(d.now.Confirmation)
	old, now := d.old.effective.Confirmation, d.now.effective.Confirmation
	switch {
	case now > old:
		d.add("confirmation.raised", pointer, from, to)
	case now < old:
		d.add("confirmation.lowered", pointer, from, to)
	default:
		d.stated(pointer, from, to, d.old.Confirmation == d.now.Confirmation)
		d.autonomous()
	}
	d.text("confirmationReason.changed", "/confirmationReason", d.old.ConfirmationReason, d.now.ConfirmationReason)
}

// autonomous follows from the confirmation, but for a forbidden tool, and where
// somebody else's document says otherwise.
func (d *differ) autonomous() {
	const pointer = "/autonomous"
	switch {
	case d.now.Autonomous && !d.old.Autonomous:
		d.add("autonomous.granted", pointer, false, true)
	case d.old.Autonomous && !d.now.Autonomous:
		d.add("autonomous.revoked", pointer, true, false)
	}
}

func (d *differ) stepUp() {
	const pointer = "/stepUp"
	old, now := d.old.StepUp, d.now.StepUp
	switch {
	case old == nil && now == nil:
		return
	case old == nil:
		d.add("stepUp.added", pointer, nil, now)
		return
	case now == nil:
		d.add("stepUp.removed", pointer, old, nil)
		return
	}
	const age, acr = pointer + "/maxAgeSeconds", pointer + "/acr"
	from, to := orNothing(old.MaxAgeSeconds), orNothing(now.MaxAgeSeconds)
	switch {
	case old.MaxAgeSeconds == now.MaxAgeSeconds:
	case old.MaxAgeSeconds == 0, now.MaxAgeSeconds != 0 && now.MaxAgeSeconds < old.MaxAgeSeconds:
		d.add("stepUp.stricter", age, from, to)
	default:
		d.add("stepUp.looser", age, from, to)
	}
	switch {
	case old.ACR == now.ACR:
	case old.ACR == "":
		d.add("stepUp.stricter", acr, nil, now.ACR)
	case now.ACR == "":
		d.add("stepUp.looser", acr, old.ACR, nil)
	default:
		d.add("stepUp.acr", acr, old.ACR, now.ACR)
	}
	d.text("stepUp.when", pointer+"/when", old.When, now.When)
}
