package contract

// Document returns the clauses of b as the contract of a tool called name. It
// is for servers that publish the contract of a tool but don't enforce it yet.
// Document checks the clauses as Build does, but allows clauses to be missing.
//
// Only the risk is derived, from the effect. What a guard would add
// (confirmation, autonomous, the audit event, failure modes) is in the document
// only if b declares it.
func (b Base) Document(name string) (Document, error) {
	c := &checker{clauses: clauses[:], layer: b.layer(clauses[:]), partial: true}
	declaredName.set(&c.layer, name)
	declaredFlatName.set(&c.layer, true)
	c.check()
	if len(c.mistakes) > 0 {
		return Document{}, joined(c.named())
	}
	if !declaredConfirmation.isIn(&c.layer) {
		c.doc.Confirmation = 0
	}
	if !declaredAutonomous.isIn(&c.layer) {
		c.doc.Autonomous = false
	}
	c.doc.Reversibility = 0 // it belongs to a tool, not to a base
	return c.doc.Clone(), nil
}
