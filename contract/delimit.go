package contract

import "github.com/toolcontract/toolcontract/trust"

const declaredDelimiting declaration[trust.Delimiting] = "delimit"

const ruleDelimitUnknown = "delimit.unknown"

func delimitClause() clause {
	return clause{
		members: []string{"delimit"},
		keys:    tagKeys{"delimit": enumValue(declaredDelimiting)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredDelimiting, b.Delimit) },
		check:   checkDelimiting,
		rules:   []Rule{{ID: ruleDelimitUnknown, Summary: "A delimiting is never, text or all."}},
	}
}

// Delimit sets which texts of results and errors are delimited as data, so that
// a model does not follow instructions in them: the member delimit of the
// document. Undeclared, the trust decides: text of untrusted tools is
// delimited, and text of others is not.
func (b *Builder[In, Out]) Delimit(texts trust.Delimiting) *Builder[In, Out] {
	declaredDelimiting.set(&b.verbs, texts)
	return b
}

func checkDelimiting(c *checker) {
	texts, declared := declaredDelimiting.in(&c.layer)
	if declared && !texts.IsValid() {
		c.bad(ruleDelimitUnknown, "delimit", "the delimiting is unknown", "use a constant of package trust")
		return
	}
	c.doc.Delimit = texts
}
