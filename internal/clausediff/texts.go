package clausediff

import (
	"reflect"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// textClauses returns the clauses that hold texts and names for people.
func textClauses() []clause {
	return []clause{
		func(d *differ) {
			d.text("title.changed", "/title", d.old.Title, d.now.Title)
			d.text("description.changed", "/description", d.old.Description, d.now.Description)
			d.text("category.changed", "/category", d.old.Category, d.now.Category)
			d.text("version.changed", "/version", d.old.Version, d.now.Version)
			d.text("confirmationReason.changed", "/confirmationReason", d.old.ConfirmationReason, d.now.ConfirmationReason)
			d.text("noPermissions.changed", "/noPermissions", d.old.NoPermissions, d.now.NoPermissions)
		},
		func(d *differ) {
			for _, name := range namesOf(d.old.Metadata, d.now.Metadata) {
				from, had := d.old.Metadata[name]
				to, has := d.now.Metadata[name]
				if had != has || !reflect.DeepEqual(from, to) {
					d.add("metadata.changed", strictjson.Pointer("", "metadata", name), from, to)
				}
			}
		},
		(*differ).auditEvent,
	}
}

func (d *differ) auditEvent() {
	const pointer = "/auditEvent"
	old, now := d.old.AuditEvent, d.now.AuditEvent
	follows := func(s side) bool { return s.effective.AuditEvent == s.Name }
	if follows(d.old) && follows(d.now) {
		// The tool's own name is the default, and the name clause compares it.
		if (old == "") != (now == "") {
			d.stated(pointer, orNil(old), orNil(now))
		}
		return
	}
	d.text("auditEvent.changed", pointer, old, now)
}
