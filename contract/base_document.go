package contract

import "errors"

// Document returns what b says as the contract of a tool called name, for
// whoever publishes it of a tool that keeps no contract yet. It is checked as
// far as it is said: a contradiction or a risk below its floor is an error as
// in Build, what is missing is not.
//
// The risk follows from the effect. Nothing else is derived: what a guard would
// do (confirmation, autonomous, the audit event, failure modes) is there only
// where b says it, and of failure modes the declared ones alone.
func (b *BaseBuilder) Document(name string) (Document, error) {
	f := b.merged()
	f.name.say(name)
	f.flatName.say(true)
	c := &checker{facts: f}
	c.check()
	errs := make([]error, 0, len(c.facts.mistakes))
	for _, m := range c.named() {
		if !c.isUnsaid(m) {
			errs = append(errs, m)
		}
	}
	if len(errs) > 0 {
		return Document{}, errors.Join(errs...)
	}
	d := c.doc
	if !f.confirmation.ok {
		d.Confirmation, d.ConfirmationReason = UndeclaredConfirmation, ""
	}
	if !f.autonomous.ok {
		d.Autonomous = false
	}
	if !f.auditEvent.ok {
		d.AuditEvent = ""
	}
	d.FailureModes = nil
	for _, m := range c.doc.FailureModes {
		if m.By == ByTool {
			d.FailureModes = append(d.FailureModes, m)
		}
	}
	return d.Clone(), nil
}

// isUnsaid reports whether m is about something that is only missing.
func (c *checker) isUnsaid(m *DeclarationError) bool {
	switch m.Rule {
	case ruleDescriptionMissing:
		return !c.facts.description.ok
	case ruleVersionMissing:
		return !c.facts.version.ok
	case ruleEffectMissing:
		return !c.facts.effect.ok
	case rulePermsMissing, ruleSecurityPerms:
		return !c.facts.permissions.ok
	case ruleAutonomous: // derived from a risk that may still come
		return !c.facts.risk.ok && !c.facts.effect.ok
	}
	return false
}
