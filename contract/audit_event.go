package contract

import (
	"cmp"

	"github.com/toolcontract/toolcontract/contract/internal/toolname"
)

const declaredAuditEvent declaration[string] = "auditEvent"

const ruleAuditEvent = "auditEvent.form"

func auditEventClause() clause {
	return clause{
		members:   []string{"auditEvent"},
		keys:      tagKeys{"auditEvent": textValue(declaredAuditEvent)},
		base:      func(b *Base, l *layer) { fromBase(l, declaredAuditEvent, b.AuditEvent) },
		check:     checkAuditEvent,
		effective: func(d *Document) { d.AuditEvent = cmp.Or(d.AuditEvent, d.Name) },
		rules:     []Rule{{ID: ruleAuditEvent, Summary: "An audit event is 1 to 128 of A-Z a-z 0-9 _ . -."}},
	}
}

// AuditEvent sets the name of the tool's events in the audit log. Default: the
// tool's name.
func (b *Builder[In, Out]) AuditEvent(name string) *Builder[In, Out] {
	declaredAuditEvent.set(&b.verbs, name)
	return b
}

func checkAuditEvent(c *checker) {
	event, declared := declaredAuditEvent.in(&c.layer)
	switch {
	case declared:
		c.doc.AuditEvent = event
	case !c.partial:
		c.doc.AuditEvent = c.doc.Name
	}
	if declared && !toolname.IsValid(event) {
		c.bad(ruleAuditEvent, "auditEvent", "the name has a character, a length or an empty part that is not allowed",
			"use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
	}
}
