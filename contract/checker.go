package contract

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/trust"
)

// A checker turns merged layers into a document and records the mistakes.
type checker struct {
	clauses []clause
	layer
	doc Document
	// tags are the declarations of the input type's marker fields, and written
	// those of the verbs. Remedies use the vocabulary of the declaration.
	tags, written layer
	// partial means that the layers are those of a Base, which may leave
	// declarations to the tools.
	partial bool
	// wrapped means that the tool was written for an SDK.
	wrapped bool
	// passes is the result of [bound.PassesReported], and verbatim that of
	// [bound.KeepsReported].
	passes, verbatim bool
	// types holds the schemas that TypeSchemas gives.
	types map[reflect.Type]*derive.TypeSchema
	// unfilled means that no defaults of the input schema are filled in.
	unfilled bool
	// converted and unchecked are those of [bound.Facts].
	converted, unchecked bool
	protector            *protector
}

// check runs the checks of all clauses.
func (c *checker) check() {
	c.doc.Format = Format
	for _, cl := range c.clauses {
		if cl.check != nil {
			cl.check(c)
		}
	}
	for _, cl := range c.clauses {
		if cl.texts != nil {
			cl.texts(c)
		}
	}
}

func (c *checker) bad(rule, where, message, remedy string) { c.mistake(rule, where, message, remedy) }

// advice returns the remedy for a declaration in the vocabulary of its author:
// tags if a marker field declares it, or if nothing does and the input type has
// marker fields. Otherwise verbs.
func (c *checker) advice(declared, verbs, tags string) string {
	if _, isDeclared := c.written.values[declared]; isDeclared {
		return verbs
	}
	_, isDeclared := c.tags.values[declared]
	if isDeclared || c.values[declared] == nil && len(c.tags.values) > 0 {
		return tags
	}
	return verbs
}

// tagged returns the declarations that only tags make, sorted.
func (c *checker) tagged() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.tags.values)), func(declared string) bool {
		_, isDeclared := c.written.values[declared]
		return isDeclared
	})
}

// missing records that a clause must be declared. declared is true if a layer
// declares it at all. If none does, a Base may leave it to its tools.
func (c *checker) missing(declared bool, rule, where, message, remedy string) {
	if (declared || !c.partial) && !c.unreadable(where) {
		c.bad(rule, where, message, remedy)
	}
}

// unreadable reports whether a tag's value for the clause cannot be read. That
// mistake has been reported, so the clause does not count as missing.
func (c *checker) unreadable(key string) bool {
	return slices.ContainsFunc(c.mistakes, func(m *DeclarationError) bool {
		return m.Rule == ruleTagValue && strings.HasSuffix(m.Where, " "+key)
	})
}

// named returns the mistakes with the name of the tool. They are copies,
// because many tools share those of a Base.
func (c *checker) named() []*DeclarationError {
	named := make([]*DeclarationError, len(c.mistakes))
	for i, m := range c.mistakes {
		e := *m
		e.Tool = c.doc.Name
		named[i] = &e
	}
	return named
}

const ruleTextForm = schema.RuleText

// text checks a text for people and models. A published contract must not hide
// text or control a terminal.
func (c *checker) text(where, text string) bool {
	if _, removed := trust.Sanitize(text); removed == 0 {
		return true
	}
	c.bad(ruleTextForm, where, "the text is not valid UTF-8, or has characters that hide, reorder it or drive a terminal",
		"write it without them, as trust.Sanitize returns it")
	return false
}

// dataTexts checks every name and text in plain data, and reports only the
// first mistake.
func (c *checker) dataTexts(where string, tree any) bool {
	switch v := tree.(type) {
	case string:
		return c.text(where, v)
	case []any:
		for _, item := range v {
			if !c.dataTexts(where, item) {
				return false
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !c.text(where, name) || !c.dataTexts(where, v[name]) {
				return false
			}
		}
	}
	return true
}
