package compat

// stepUpClause compares the demands on the authentication.
func stepUpClause() clause {
	return clause{
		rules: []Rule{
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
	}
}

func (d *differ) stepUp() {
	const pointer, stricter, looser = "/stepUp", "stepUp.stricter", "stepUp.looser"
	old, now := d.old.StepUp, d.now.StepUp
	if !present(d, pointer, old, now, "stepUp.added", "stepUp.removed") {
		return
	}
	limit(d, pointer+"/maxAgeSeconds", old.MaxAgeSeconds, now.MaxAgeSeconds, stricter, looser)
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
