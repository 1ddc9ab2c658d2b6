package contract

import (
	"cmp"
	"strings"

	"github.com/toolcontract/toolcontract/internal/declare"
)

const (
	declaredName     declaration[string]   = "name"
	declaredFlatName declaration[bool]     = "flatName"
	declaredAliases  declaration[[]string] = "aliases"
)

const (
	ruleNameMissing    = "name.missing"
	ruleNameForm       = "name.form"
	ruleNameFlat       = "name.flat"
	ruleAliasForm      = "alias.form"
	ruleAliasDuplicate = "alias.duplicate"
)

func nameClause() clause {
	return clause{
		members: []string{"name"},
		keys: tagKeys{
			"name":     textValue(declaredName),
			"flatName": flagValue(declaredFlatName),
		},
		base:  func(b *Base, l *layer) { fromBase(l, declaredFlatName, b.FlatName) },
		check: checkName,
		rules: []BuildRule{
			{ID: ruleNameMissing, Summary: "A tool has a name."},
			{ID: ruleNameForm, Summary: "A name is 1 to 128 of A-Z a-z 0-9 _ . - and has no empty part."},
			{ID: ruleNameFlat, Summary: "A name is domain.verb unless FlatName allows a flat one."},
		},
	}
}

// FlatName allows a name without a domain. By default a name is "domain.verb".
func (b *Builder[In, Out]) FlatName() *Builder[In, Out] {
	declaredFlatName.set(&b.verbs, true)
	return b
}

func checkName(c *checker) {
	c.doc.Name = declaredName.of(&c.layer)
	switch name := c.doc.Name; {
	case name == "":
		c.bad(ruleNameMissing, "name", "the tool has no name", c.advice(string(declaredName),
			`call it "domain.verb"`, `write name:"domain.verb" in the tag of a contract.Tags field`))
	case !declare.IsName(name):
		c.bad(ruleNameForm, "name", "the name has a character, a length or an empty part that is not allowed",
			"use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
	case !strings.Contains(name, ".") && !declaredFlatName.of(&c.layer):
		c.bad(ruleNameFlat, "name", "the name has no domain", c.advice(string(declaredName),
			`call it "domain.verb", or declare FlatName`, `call it "domain.verb", or write flatName:"true"`))
	}
}

func aliasesClause() clause {
	return clause{
		members: []string{"aliases"},
		keys:    tagKeys{"aliases": listValue(declaredAliases)},
		base:    func(b *Base, l *layer) { listFromBase(l, declaredAliases, b.Aliases) },
		check:   checkAliases,
		rules: []BuildRule{
			{ID: ruleAliasForm, Summary: "An alias is formed as a name."},
			{ID: ruleAliasDuplicate, Summary: "An alias is declared once."},
		},
	}
}

// Aliases adds old names of the tool, the oldest first. They can be called but
// are not listed.
//
// The first alias identifies the tool in the keys of managed calls, in
// guard.IdempotencyKey, in rate limits and in the counts of failed and declined
// calls. So calls before and after a rename are equal, even on replicas that
// still use the old name. A tool without aliases is identified by its name. If
// you add an alias that is newer than the current name, put the current name
// before it.
//
// Also add the tool's own name if clients still call notes.find but the server
// now lists notes_find.
func (b *Builder[In, Out]) Aliases(names ...string) *Builder[In, Out] {
	add(declaredAliases, &b.verbs, names)
	return b
}

func checkAliases(c *checker) {
	c.doc.Aliases = declaredAliases.of(&c.layer)
	seen := map[string]bool{}
	for _, alias := range c.doc.Aliases {
		if !declare.IsName(alias) {
			c.bad(ruleAliasForm, "aliases", "an alias is not formed as a name", "use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
		} else if seen[alias] {
			c.bad(ruleAliasDuplicate, "aliases", "the alias "+alias+" stands twice", "remove it")
		}
		seen[alias] = true
	}
}

const declaredAuditEvent declaration[string] = "auditEvent"

const ruleAuditEvent = "auditEvent.form"

func auditEventClause() clause {
	return clause{
		members:   []string{"auditEvent"},
		keys:      tagKeys{"auditEvent": textValue(declaredAuditEvent)},
		base:      func(b *Base, l *layer) { fromBase(l, declaredAuditEvent, b.AuditEvent) },
		check:     checkAuditEvent,
		effective: func(d *Document) { d.AuditEvent = cmp.Or(d.AuditEvent, d.Name) },
		rules:     []BuildRule{{ID: ruleAuditEvent, Summary: "An audit event is 1 to 128 of A-Z a-z 0-9 _ . -."}},
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
	if declared && !declare.IsName(event) {
		c.bad(ruleAuditEvent, "auditEvent", "the name has a character, a length or an empty part that is not allowed",
			"use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
	}
}
