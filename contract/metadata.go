package contract

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract/internal/metadata"
)

// metadata passes through JSON, so that the document holds plain data whatever
// the author's types were.
func (c *checker) metadata() {
	if !c.facts.metadata.ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(c.facts.metadata.value)) {
		if !utf8.ValidString(key) {
			c.text("metadata", key)
			return
		}
	}
	plain, err := metadata.Plain(c.facts.metadata.value)
	if err != nil {
		c.bad(ruleMetadataForm, "metadata", "a value cannot be written as JSON of one meaning", "use plain data, with integers of at most 64 bits")
	}
	c.doc.Metadata = plain
}
