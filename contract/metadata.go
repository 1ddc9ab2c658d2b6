package contract

import "encoding/json"

// metadata passes through JSON, so that the document holds plain data whatever
// the author's types were.
func (c *checker) metadata() {
	if !c.facts.metadata.ok {
		return
	}
	plain, err := plainMetadata(c.facts.metadata.value)
	if err != nil {
		c.bad(ruleMetadataForm, "metadata", "a value cannot be written as JSON", "use plain data")
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
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	err = json.Unmarshal(data, &plain)
	return plain, err
}
