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
		rules:     []BuildRule{{ID: ruleTrustUnknown, Summary: "A content trust is one of the levels."}},
	}
}

// Trust sets how far the tool's results can be trusted: the document's member
// contentTrust. Undeclared content counts as prone to prompt injection.
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

const declaredDelimiting declaration[trust.Delimiting] = "delimit"

const ruleDelimitUnknown = "delimit.unknown"

func delimitClause() clause {
	return clause{
		members: []string{"delimit"},
		keys:    tagKeys{"delimit": enumValue(declaredDelimiting)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredDelimiting, b.Delimit) },
		check:   checkDelimiting,
		rules:   []BuildRule{{ID: ruleDelimitUnknown, Summary: "A delimiting is never, text or all."}},
	}
}

// Delimit sets which texts of results and errors are delimited as data, so that
// a model does not follow instructions in them: the document's member delimit.
// Undeclared, the trust decides: text of untrusted tools is delimited, and
// other text is not.
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

const declaredSanitizing declaration[trust.Sanitizing] = "sanitize"

const ruleSanitizeUnknown = "sanitize.unknown"

func sanitizeClause() clause {
	return clause{
		members: []string{"sanitize"},
		keys:    tagKeys{"sanitize": enumValue(declaredSanitizing)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredSanitizing, b.Sanitize) },
		check:   checkSanitizing,
		rules:   []BuildRule{{ID: ruleSanitizeUnknown, Summary: "A sanitizing is always, text or never."}},
	}
}

// Sanitize sets which parts of results are cleaned of characters that hide text
// or control a terminal: the document's member sanitize. Undeclared, all parts
// are. The outcome and the audit event list what was removed, and where.
func (b *Builder[In, Out]) Sanitize(parts trust.Sanitizing) *Builder[In, Out] {
	declaredSanitizing.set(&b.verbs, parts)
	return b
}

func checkSanitizing(c *checker) {
	parts, declared := declaredSanitizing.in(&c.layer)
	if declared && !parts.IsValid() {
		c.bad(ruleSanitizeUnknown, "sanitize", "the sanitizing is unknown", "use a constant of package trust")
		return
	}
	c.doc.Sanitize = parts
}
