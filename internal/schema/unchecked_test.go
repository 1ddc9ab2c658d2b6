package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

func TestUncheck_MakesPatternsBeyondRE2Annotations(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		raw, want string
		patterns  int
	}{
		"a look-ahead": {`{"b":1,"pattern":"^(?!x)","minLength":1}`,
			`{"b":1,"x-uncheckedPattern":"^(?!x)","minLength":1}`, 1},
		"a back-reference, deep": {`{"properties":{"pattern":{"items":{"pattern":"(a)\\1"}}}}`,
			`{"properties":{"pattern":{"items":{"x-uncheckedPattern":"(a)\\1"}}}}`, 1},
		"RE2": {`{"pattern":"^a$"}`, `{"pattern":"^a$"}`, 0},
		"in anyOf and allOf": {`{"anyOf":[{"pattern":"(?=a)"}],"allOf":[{"pattern":"(?=b)"}]}`,
			`{"anyOf":[{"x-uncheckedPattern":"(?=a)"}],"allOf":[{"x-uncheckedPattern":"(?=b)"}]}`, 2},
		"in not": {`{"not":{"pattern":"(?=a)"}}`, `{"not":{"pattern":"(?=a)"}}`, 0},
		"in oneOf, by a reference": {`{"oneOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"pattern":"(?=a)"}}}}`,
			`{"oneOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"items":{"pattern":"(?=a)"}}}}`, 0},
		"a name":                     {`{"patternProperties":{"(?=a)":{}}}`, `{"patternProperties":{"(?=a)":{}}}`, 0},
		"a value that has the shape": {`{"const":{"pattern":"(?=a)"}}`, `{"const":{"pattern":"(?=a)"}}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, patterns := schema.Uncheck(tree.NewText(json.RawMessage(test.raw)))
			assert.Equal(t, test.want, string(got.Raw))
			assert.Equal(t, test.patterns, patterns)
		})
	}
}
