package contract

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract/internal/metadata"
)

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
		rules: []Rule{{ID: ruleMetadataForm, Summary: "Metadata can be written as JSON, with integers of at most 64 bits."}},
	}
}

// Metadata adds one member of free data. The value must be something that
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

// checkMetadata writes the metadata as JSON and reads it, so that the document
// has plain data whatever the tool author's types are.
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
	plain, err := metadata.Plain(values)
	if err != nil {
		c.bad(ruleMetadataForm, "metadata", "a value cannot be written as JSON of one meaning",
			"use plain data, with integers of at most 64 bits")
	}
	c.doc.Metadata = plain
}

func parseObject(s string) (map[string]any, error) { return metadata.Parse([]byte(s)) }
