package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

// Each has a default that refuses every call, or at least one that is right by the schema, which leaves the member out.
func TestCompileRefusesADefaultWhereItIsFilledIn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{ // want are pointers
		"beside a reference": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d","maximum":0}},"$defs":{"d":{"default":5}}}`, "/$defs/d/default",
		},
		"beside an allOf that leads to it": {
			`{"type":"object","properties":{"a":{"allOf":[{"default":5}],"maximum":0}}}`, "/properties/a/allOf/0/default",
		},
		"in another part of an allOf": {
			`{"type":"object","allOf":[{"properties":{"a":{"default":5}}},{"properties":{"a":{"maximum":0}}}]}`, "/allOf/0/properties/a/default",
		},
		"by a pattern of its name": {
			`{"type":"object","properties":{"ab":{"default":5}},"patternProperties":{"^a":{"maximum":0}}}`, "/properties/ab/default",
		},
		"by a part that takes no other member": {
			`{"type":"object","properties":{"a":{"default":5}},"allOf":[{"additionalProperties":false}]}`, "/properties/a/default",
		},
		"by the names of members": {
			`{"type":"object","properties":{"ab":{"default":5}},"propertyNames":{"maxLength":1}}`, "/properties/ab/default",
		},
		"for what another part fills into it": {
			`{"type":"object","allOf":[{"properties":{"a":{"default":{},"maxProperties":0}}},{"properties":{"a":{"properties":{"x":{"default":1}}}}}]}`,
			"/allOf/0/properties/a/default /allOf/1/properties/a/properties/x/default",
		},
		"in an item": {
			`{"type":"object","properties":{"l":{"items":{"$ref":"#/$defs/d","properties":{"a":{"maximum":0}}}}},"$defs":{"d":{"properties":{"a":{"default":5}}}}}`, "/$defs/d/properties/a/default",
		},
		"in a member that two patterns name": {
			`{"type":"object","patternProperties":{"^a":{"properties":{"x":{"default":5}}},"b$":{"properties":{"x":{"maximum":0}}}}}`, "/patternProperties/^a/properties/x/default",
		},
		"in a member of any other name": {
			`{"type":"object","allOf":[{"additionalProperties":{"properties":{"x":{"default":5}}}},{"additionalProperties":{"properties":{"x":{"maximum":0}}}}]}`,
			"/allOf/0/additionalProperties/properties/x/default",
		},
		"as one member too many": {
			`{"type":"object","properties":{"a":{"default":5},"q":{"type":"string"}},"required":["q"],"maxProperties":1}`, "/properties/a/default",
		},
		"as one too many beside a default that is required": {
			`{"type":"object","properties":{"a":{"default":5},"q":{"default":1}},"required":["q"],"maxProperties":1}`, "/properties/a/default",
		},
		"as one that asks for another": {
			`{"type":"object","properties":{"a":{"default":5}},"dependentRequired":{"a":["b"]}}`, "/properties/a/default",
		},
		"under a not": {
			`{"type":"object","properties":{"o":{"properties":{"a":{"default":5},"k":{"const":"K"}},"required":["k"],"not":{"required":["a"]}}}}`, "/properties/o/properties/a/default",
		},
		"as another than that of the same member": {
			`{"type":"object","properties":{"a":{"default":5}},"allOf":[{"properties":{"a":{"default":6}}}]}`, "/properties/a/default",
		},
		"as another than that of the same schema": {
			`{"type":"object","properties":{"a":{"allOf":[{"default":5},{"default":6}]}}}`, "/properties/a/allOf/1/default",
		},
		"as another once it is filled in": {
			`{"type":"object","allOf":[{"properties":{"a":{"default":{}}}},{"properties":{"a":{"default":{"x":1},"properties":{"x":{"default":2}}}}}]}`, "/allOf/1/properties/a/default",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := schema.Compile(json.RawMessage(test.raw), schema.CompileOptions{})
			var want []string
			for at := range strings.FieldsSeq(test.want) {
				want = append(want, "schema.default "+at)
			}
			assert.Equal(t, want, problemRules(problems))
			s, problems := schema.Compile(json.RawMessage(test.raw), schema.CompileOptions{Lenient: true})
			require.Empty(t, problems)
			for _, given := range []string{`{}`, `{"q":"x"}`, `{"o":{"k":"K"}}`, `{"l":[{}]}`, `{"ab":{}}`} {
				tree := parse(t, given)
				if filled, _ := s.Fill(tree); len(s.Validate(tree)) == 0 {
					assert.Empty(t, s.Validate(filled), "no default refuses %s of another's tool", given)
				}
			}
		})
	}
}

func TestCompileTakesADefaultThatAllAgreeOn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ raw, want string }{
		"two parts that say the same":             {`{"type":"object","allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":1.0}}}]}`, `{"a":1}`},
		"two that become the same":                {`{"type":"object","allOf":[{"properties":{"a":{"default":{}}}},{"properties":{"a":{"default":{"x":1},"properties":{"x":{"default":1}}}}}]}`, `{"a":{"x":1}}`},
		"one filled in by a part before it":       {`{"type":"object","allOf":[{"properties":{"a":{"properties":{"x":{"default":1}}}}},{"properties":{"a":{"default":{}}}}]}`, `{"a":{"x":1}}`},
		"one filled in by a part behind it":       {`{"type":"object","allOf":[{"properties":{"a":{"default":{}}}},{"properties":{"a":{"properties":{"x":{"default":1}}}}}]}`, `{"a":{"x":1}}`},
		"one filled in by a pattern":              {`{"type":"object","properties":{"a":{"default":{}}},"patternProperties":{"^a":{"properties":{"x":{"default":1}}}}}`, `{"a":{"x":1}}`},
		"items filled in by another part":         {`{"type":"object","properties":{"a":{"default":[{}]}},"allOf":[{"properties":{"a":{"items":{"properties":{"x":{"default":1}}}}}}]}`, `{"a":[{"x":1}]}`},
		"the nearest, beside a reference":         {`{"type":"object","properties":{"a":{"$ref":"#/$defs/d","default":1}},"$defs":{"d":{"default":2}}}`, `{"a":1}`},
		"one in the allOf of the member":          {`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/d"}]}},"$defs":{"d":{"default":2}}}`, `{"a":2}`},
		"one that is required":                    {`{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`, `{"a":1}`},
		"one whose object cannot be made up":      {`{"type":"object","properties":{"a":{"default":1},"q":{"type":"string","format":"uuid"}},"required":["q"],"dependentRequired":{"a":["b"]}}`, `{"a":1}`},
		"none of an alternative":                  {`{"type":"object","properties":{"a":{"anyOf":[{"default":1}]}}}`, `{}`},
		"none of a pattern that matches the name": {`{"type":"object","properties":{"a":{}},"patternProperties":{"^a":{"default":1}}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filled, _ := compile(t, test.raw).Fill(parse(t, `{}`))
			assert.Equal(t, parse(t, test.want), filled)
		})
	}
}

func TestLenientFillsInNeitherOfTwoDefaults(t *testing.T) {
	t.Parallel()
	s, problems := schema.Compile(json.RawMessage(`{"type":"object","properties":{"b":{"default":0}},"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":2}}}]}`),
		schema.CompileOptions{Lenient: true})
	require.Empty(t, problems)
	filled, _ := s.Fill(parse(t, `{}`))
	assert.Equal(t, parse(t, `{"b":0}`), filled)
}

func TestThreat19_DefaultsThatPartsBringTogetherAreBounded(t *testing.T) {
	t.Parallel()
	var parts, defs []string
	for _, period := range []int{2, 3, 5, 7, 11, 13, 17} {
		parts = append(parts, fmt.Sprintf(`{"$ref":"#/$defs/p%d_0"}`, period))
		for i := range period {
			defs = append(defs, fmt.Sprintf(`"p%d_%d":{"properties":{"n":{"$ref":"#/$defs/p%d_%d"},"x":{"default":1}}}`, period, i, period, (i+1)%period))
		}
	}
	for name, raw := range map[string]string{
		"one part has the default, another recurs": `{"type":"object","allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"default":{}}}}]}`,
		"steps of many lengths":                    `{"type":"object","allOf":[` + strings.Join(parts, ",") + `],"$defs":{` + strings.Join(defs, ",") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, lenient := range []bool{false, true} {
				start := time.Now()
				_, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{Lenient: lenient})
				require.Len(t, problems, 1)
				assert.Equal(t, schema.RuleRecursion, problems[0].Rule)
				assert.Less(t, time.Since(start), time.Minute)
			}
		})
	}
}
