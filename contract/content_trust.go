package contract

import "github.com/toolcontract/toolcontract/trust"

const declaredTrust declaration[trust.Level] = "trust"

const ruleTrustUnknown = "trust.unknown"

func contentTrustClause() clause {
	return clause{
		members:   []string{"contentTrust"},
		keys:      tagKeys{"trust": enumValue(declaredTrust)},
		base:      func(b *Base, l *layer) { fromBase(l, declaredTrust, b.Trust) },
		check:     checkContentTrust,
		effective: func(d *Document) { d.ContentTrust = d.ContentTrust.Effective() },
		rules:     []Rule{{ID: ruleTrustUnknown, Summary: "A content trust is one of the levels."}},
	}
}

// Trust sets how far the content that the tool returns can be trusted: the
// member contentTrust of the document. Undeclared content is treated as prone
// to prompt injection.
func (b *Builder[In, Out]) Trust(level trust.Level) *Builder[In, Out] {
	declaredTrust.set(&b.verbs, level)
	return b
}

func checkContentTrust(c *checker) {
	level, declared := declaredTrust.in(&c.layer)
	if declared && !level.IsValid() {
		c.bad(ruleTrustUnknown, "contentTrust", "the level is unknown", "use a constant of package trust")
		return
	}
	c.doc.ContentTrust = level
}
