package contract

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/internal/declare"
)

const (
	declaredTitle       declaration[string] = "title"
	declaredDescription declaration[string] = "description"
	declaredCategory    declaration[string] = "category"
)

const ruleDescriptionMissing = "description.missing"

func titleClause() clause {
	return clause{
		members: []string{"title"},
		keys:    tagKeys{"title": textValue(declaredTitle)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredTitle, b.Title) },
		check:   func(c *checker) { c.doc.Title = declaredTitle.of(&c.layer) },
		texts:   func(c *checker) { c.text("title", c.doc.Title) },
	}
}

// Title sets a name for people.
func (b *Builder[In, Out]) Title(title string) *Builder[In, Out] {
	declaredTitle.set(&b.verbs, title)
	return b
}

func descriptionClause() clause {
	return clause{
		members: []string{"description"},
		keys:    tagKeys{"description": textValue(declaredDescription)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredDescription, b.Description) },
		check:   checkDescription,
		texts:   func(c *checker) { c.text("description", c.doc.Description) },
		rules:   []BuildRule{{ID: ruleDescriptionMissing, Summary: "A tool has a description."}},
	}
}

// Description tells people and models about the tool. Every tool needs one.
func (b *Builder[In, Out]) Description(text string) *Builder[In, Out] {
	declaredDescription.set(&b.verbs, text)
	return b
}

func checkDescription(c *checker) {
	text, declared := declaredDescription.in(&c.layer)
	c.doc.Description = text
	if strings.TrimSpace(text) == "" {
		c.missing(declared, ruleDescriptionMissing, "description", "the tool has no description", "describe it, for people and models")
	}
}

func categoryClause() clause {
	return clause{
		members: []string{"category"},
		keys:    tagKeys{"category": textValue(declaredCategory)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredCategory, b.Category) },
		check:   func(c *checker) { c.doc.Category = declaredCategory.of(&c.layer) },
		texts:   func(c *checker) { c.text("category", c.doc.Category) },
	}
}

// Category sets a domain to filter by, such as "communication".
func (b *Builder[In, Out]) Category(category string) *Builder[In, Out] {
	declaredCategory.set(&b.verbs, category)
	return b
}

const declaredMetadata declaration[map[string]any] = "metadata"

const ruleMetadataForm = "metadata.form"

func metadataClause() clause {
	return clause{
		members: []string{"metadata"},
		keys:    tagKeys{"metadata": parsedValue(declaredMetadata, parseObject, "write a JSON object, each name once")},
		base: func(b *Base, l *layer) {
			if b.Metadata != nil {
				declaredMetadata.set(l, maps.Clone(b.Metadata))
			}
		},
		check: checkMetadata,
		texts: func(c *checker) { c.dataTexts("metadata", c.doc.Metadata) },
		rules: []BuildRule{{ID: ruleMetadataForm, Summary: "Metadata can be written as JSON, with integers of at most 64 bits."}},
	}
}

// Metadata adds one member of free-form data. The value must be something that
// encoding/json can write. Integers stay exact; an integer of more than 64 bits
// is a mistake.
func (b *Builder[In, Out]) Metadata(key string, value any) *Builder[In, Out] {
	addMetadata(&b.verbs, key, value)
	return b
}

func addMetadata(l *layer, key string, value any) {
	m := maps.Clone(declaredMetadata.of(l))
	if m == nil {
		m = map[string]any{}
	}
	m[key] = value
	declaredMetadata.set(l, m)
}

// checkMetadata writes the metadata as JSON and reads it back, so that the
// document has plain data whatever types the tool author used.
func checkMetadata(c *checker) {
	values, declared := declaredMetadata.in(&c.layer)
	if !declared {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !utf8.ValidString(key) {
			c.text("metadata", key)
			return
		}
	}
	plain, err := declare.PlainMetadata(values)
	if err != nil {
		c.bad(ruleMetadataForm, "metadata", "a value cannot be written as JSON of one meaning",
			"use plain data, with integers of at most 64 bits")
	}
	c.doc.Metadata = plain
}

func parseObject(s string) (map[string]any, error) { return declare.ParseMetadata([]byte(s)) }
