package schemadiff_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/contract/internal/schemadiff"
)

// A default that comes with a new property fills in objects which then something around them refuses.
func TestCompare_ANewDefaultUnderAKeywordThatReactsIsUnknown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now, value string }{
		"not": {
			`{"type":"object","properties":{"o":{"type":"object","properties":{}}},"not":{"properties":{"o":{"required":["b"]}},"required":["o"]}}`,
			`{"type":"object","properties":{"o":{"type":"object","properties":{"b":{"default":1}}}},"not":{"properties":{"o":{"required":["b"]}},"required":["o"]}}`,
			`{"o":{}}`,
		},
		"contains": {
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{}},"contains":{"maxProperties":1}}}}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"b":{"default":1}}},"contains":{"maxProperties":1}}}}`,
			`{"l":[{"a":1}]}`,
		},
		"uniqueItems": {
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{}},"uniqueItems":true}}}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"b":{"default":1}}},"uniqueItems":true}}}`,
			`{"l":[{},{"b":1}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			accepts := func(document string) bool {
				s, problems := schema.Compile(json.RawMessage(document), schema.CompileOptions{})
				require.Empty(t, problems)
				var value any
				require.NoError(t, json.Unmarshal([]byte(c.value), &value))
				filled, _ := s.Fill(value)
				return len(s.Validate(filled)) == 0
			}
			require.True(t, accepts(c.old))
			require.False(t, accepts(c.now), "the validator refuses what it accepted")
			worst := schemadiff.Undeclared
			for _, f := range schemadiff.Compare(json.RawMessage(c.old), json.RawMessage(c.now)) {
				if f.Effect == schemadiff.Unknown || f.Effect == schemadiff.Narrowed {
					worst = f.Effect
				}
			}
			assert.NotZero(t, worst, "nothing says that it may be refused")
		})
	}
}
