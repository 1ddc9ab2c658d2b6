package compat

import (
	"reflect"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// textClauses returns the clauses of texts and names for people. Any change of
// such a text is a patch, whatever the text was.
func textClauses() []clause {
	return []clause{
		textClause("title", func(d contract.Document) string { return d.Title },
			"The title changed.", "It is for people."),
		textClause("description", func(d contract.Document) string { return d.Description },
			"The description changed.", "It is documentation. Review it, because models act on it."),
		textClause("category", func(d contract.Document) string { return d.Category },
			"The category changed.", "It is for filters and for people."),
		textClause("version", func(d contract.Document) string { return d.Version },
			"The version changed.", "CheckVersions reports whether it was raised by enough."),
		textClause("confirmationReason", func(d contract.Document) string { return d.ConfirmationReason },
			"The reason why a person is never asked changed.", "It is for people."),
		textClause("noPermissions", func(d contract.Document) string { return d.NoPermissions },
			"The reason why no permission is needed changed.", "It is for people. The permissions are enforced."),
		{
			rules: []Kind{
				{ID: "metadata.changed", Class: Patch,
					Summary: "A member of the metadata changed.",
					Reason:  "Metadata is for people, agents and filters. Nothing enforces it."},
			},
			compare: func(d *differ) {
				for _, name := range namesOf(d.old.Metadata, d.now.Metadata) {
					from, had := d.old.Metadata[name]
					to, has := d.now.Metadata[name]
					if had != has || !reflect.DeepEqual(from, to) {
						d.add("metadata.changed", strictjson.Pointer("", "metadata", name), from, to)
					}
				}
			},
		},
		{
			rules: []Kind{
				{ID: "auditEvent.changed", Class: Patch, Downgrade: true,
					Summary: "The audit event has another name.",
					Reason:  "Callers do not see it. Searches and alarms for the old name find nothing any more."},
			},
			compare: (*differ).auditEvent,
		},
	}
}

func textClause(member string, text func(contract.Document) string, summary, reason string) clause {
	rule := member + ".changed"
	return clause{
		rules:   []Kind{{ID: rule, Class: Patch, Summary: summary, Reason: reason}},
		compare: func(d *differ) { d.text(rule, "/"+member, text(d.old.Document), text(d.now.Document)) },
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
