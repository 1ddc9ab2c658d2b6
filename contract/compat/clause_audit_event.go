package compat

// auditEventClause compares the names under which calls are audited.
func auditEventClause() clause {
	return clause{
		rules: []Rule{
			{ID: "auditEvent.changed", Class: Patch, Downgrade: true,
				Summary: "The audit event has another name.",
				Reason:  "Callers do not see it. Searches and alarms for the old name find nothing any more."},
		},
		compare: (*differ).auditEvent,
	}
}

func (d *differ) auditEvent() {
	const pointer = "/auditEvent"
	old, now := d.old.AuditEvent, d.now.AuditEvent
	follows := func(s side) bool { return s.effective.AuditEvent == s.Name }
	if follows(d.old) && follows(d.now) {
		// The tool's own name is the default, and the clause of the name
		// compares it.
		if (old == "") != (now == "") {
			d.stated(pointer, orNothing(old), orNothing(now))
		}
		return
	}
	d.text("auditEvent.changed", pointer, old, now)
}
