package contract

// A BaseBuilder holds clauses that many tools share, such as the version, the
// category and the trust. Make one with [Base] and pass it to [Builder.From].
//
// Its verbs are those of [Builder] that take data. A BaseBuilder is not safe
// for concurrent use.
type BaseBuilder struct {
	verbs layer
	bases layer
}

// Base returns a base without clauses.
func Base() *BaseBuilder { return &BaseBuilder{} }

// From is [Builder.From] for all tools of the base.
func (b *BaseBuilder) From(base *BaseBuilder) *BaseBuilder {
	layFrom(&b.verbs, &b.bases, base)
	return b
}

// Document returns the clauses of b as the contract of a tool called name. It
// is for servers that publish the contract of a tool which they do not enforce
// yet. Document checks the clauses as Build does, but a clause may be missing.
//
// Only the risk is derived, from the effect. The document has what a guard
// would add (confirmation, autonomous, the audit event, failure modes) only if
// b declares it.
func (b *BaseBuilder) Document(name string) (Document, error) {
	c := &checker{clauses: clauses[:], layer: b.verbs.over(&b.bases), partial: true}
	declaredName.set(&c.layer, name)
	declaredFlatName.set(&c.layer, true)
	c.check()
	if len(c.mistakes) > 0 {
		return Document{}, joined(c.named())
	}
	if !declaredConfirmation.isIn(&c.layer) {
		c.doc.Confirmation = UndeclaredConfirmation
	}
	if !declaredAutonomous.isIn(&c.layer) {
		c.doc.Autonomous = false
	}
	return c.doc.Clone(), nil
}
