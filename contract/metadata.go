package contract

import (
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/internal/strictjson"
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
	plain, err := plainMetadata(c.facts.metadata.value)
	if err != nil {
		c.bad(ruleMetadataForm, "metadata", "a value cannot be written as JSON of one meaning", "use plain data, with integers of at most 64 bits")
	}
	c.doc.Metadata = plain
}

// plainMetadata contains panics of the author's marshalers.
func plainMetadata(values map[string]any) (plain map[string]any, err error) {
	defer func() {
		if recover() != nil {
			plain, err = nil, errPanic
		}
	}()
	data, err := strictjson.MarshalValue(values)
	if err != nil {
		return nil, err
	}
	return parseMetadata(data)
}

var errNoObject = errors.New("contract: not a JSON object")

// parseMetadata reads a JSON object with its integers exact.
func parseMetadata(data []byte) (map[string]any, error) {
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return nil, err
	}
	plain, ok := tree.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return plain, nil
}
