package diff_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/diff"
)

// called returns the arguments the handler gets. accepted is false if the call
// is refused.
func called(t *testing.T, document, arguments string) (got string, accepted bool) {
	t.Helper()
	s, problems := schema.Compile(json.RawMessage(document), schema.CompileOptions{Lenient: true})
	require.Empty(t, problems, document)
	var value any
	require.NoError(t, json.Unmarshal([]byte(arguments), &value))
	filled, _ := s.Fill(value)
	return string(text(filled)), len(s.Validate(filled)) == 0
}

func findingsOf(old, now string) []diff.Difference {
	return diff.Compare(json.RawMessage(old), json.RawMessage(now))
}

const (
	changed = "a default changed"
	same    = "the call is the same"
)

// If a call changes, only the defaults reveal it. A new default that isn't
// filled in, because another keyword may refuse it, changes no call.
func TestCompare_ReportsADefaultThatChangesACall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now, call, told string }{
		"under a not, of a member that was refused": {
			`{"type":"object","properties":{"o":{"type":"object","properties":{},"additionalProperties":false}},` +
				`"not":{"properties":{"o":{"required":["b"]}},"required":["o"]}}`,
			`{"type":"object","properties":{"o":{"type":"object","properties":{"b":{"default":1}},"additionalProperties":false}},` +
				`"not":{"properties":{"o":{"required":["b"]}},"required":["o"]}}`,
			`{"o":{}}`, same,
		},
		"under uniqueItems, of a member that was refused": {
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","additionalProperties":false},` +
				`"uniqueItems":true}}}`,
			`{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"b":{"default":1}},` +
				`"additionalProperties":false},"uniqueItems":true}}}`,
			`{"l":[{}]}`, same,
		},
		"under an if": {
			`{"type":"object","required":["c"],"properties":{"c":{"type":"string","format":"email"},"a":{"type":"integer"}},` +
				`"additionalProperties":false,"if":{"required":["b"]},"then":{"required":["a"]}}`,
			`{"type":"object","required":["c"],"properties":{"c":{"type":"string","format":"email"},"a":{"type":"integer"},` +
				`"b":{"default":1}},"additionalProperties":false,"if":{"required":["b"]},"then":{"required":["a"]}}`,
			`{"c":"a@b.c"}`, same,
		},
		"in an object with the largest number of members": {
			`{"type":"object","properties":{"a":{}},"additionalProperties":false,"maxProperties":1}`,
			`{"type":"object","properties":{"a":{},"b":{"default":1}},"additionalProperties":false,"maxProperties":1}`,
			`{"a":1}`, same,
		},
		"on which another member depends": {
			`{"type":"object","required":["c"],"properties":{"c":{"type":"string","format":"email"},"a":{}},` +
				`"additionalProperties":false,` +
				`"dependentRequired":{"b":["a"]}}`,
			`{"type":"object","required":["c"],"properties":{"c":{"type":"string","format":"email"},"a":{},"b":{"default":1}},` +
				`"additionalProperties":false,"dependentRequired":{"b":["a"]}}`,
			`{"c":"a@b.c"}`, same,
		},
		"moved under an anyOf": {
			`{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"]}`,
			`{"type":"object","anyOf":[{"properties":{"a":{"type":"integer","default":1}}}],"required":["a"]}`,
			`{}`, changed,
		},
		"of an object that may be text now": {
			`{"type":"object","properties":{"o":{"type":"object","properties":{"a":{"default":1}},"required":["a"]}}}`,
			`{"type":"object","properties":{"o":{"anyOf":[{"type":"object","properties":{"a":{"default":1}},` +
				`"required":["a"]},{"type":"string"}]}}}`,
			`{"o":{}}`, changed,
		},
		"of members that another pattern takes away": {
			`{"type":"object","additionalProperties":{"properties":{"x":{"default":1}}}}`,
			`{"type":"object","patternProperties":{"^a":{"properties":{"x":{}}}},` +
				`"additionalProperties":{"properties":{"x":{"default":1}}}}`,
			`{"ab":{}}`, changed,
		},
		"of an item that has a place of its own now": {
			`{"type":"object","properties":{"l":{"type":"array","items":{"properties":{"x":{"default":1}}}}}}`,
			`{"type":"object","properties":{"l":{"type":"array","prefixItems":[{"properties":{"x":{}}}],` +
				`"items":{"properties":{"x":{"default":1}}}}}}`,
			`{"l":[{}]}`, changed,
		},
		"of a definition that recurs": {
			`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object",` +
				`"properties":{"n":{"$ref":"#/$defs/n"},` +
				`"x":{"default":1}}}}}`,
			`{"type":"object","properties":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"},"x":{"default":1}}}},` +
				`"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"},"x":{"default":2}}}}}`,
			`{"n":{"n":{}}}`, changed,
		},
		"of a definition that recurs below what may refuse it": {
			`{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"$defs":{"k":{"type":"object",` +
				`"properties":{"n":{"$ref":"#/$defs/n"}}},"n":{"type":"object","additionalProperties":false,` +
				`"properties":{"m":{"$ref":"#/$defs/m"}}},"m":{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},` +
				`"not":{"required":["k"],"properties":{"k":{"required":["n"],"properties":{"n":{"required":["x"]}}}}}}}}`,
			`{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},"$defs":{"k":{"type":"object",` +
				`"properties":{"n":{"$ref":"#/$defs/n"}}},"n":{"type":"object","additionalProperties":false,` +
				`"properties":{"m":{"$ref":"#/$defs/m"},"x":{"default":1}}},"m":{"type":"object","properties":{"k":{"$ref":"#/$defs/k"}},` +
				`"not":{"required":["k"],"properties":{"k":{"required":["n"],"properties":{"n":{"required":["x"]}}}}}}}}`,
			`{"k":{"n":{"m":{"k":{"n":{}}}}}}`, same,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, accepted := called(t, c.old, c.call)
			after, accepts := called(t, c.now, c.call)
			require.True(t, accepted)
			require.Equal(t, c.told == same, accepts && before == after, "the call is the same")
			findings := findingsOf(c.old, c.now)
			reported := slices.ContainsFunc(findings, func(f diff.Difference) bool {
				return f.Kind == diff.Default && f.Effect == diff.Reworded
			})
			assert.Equal(t, c.told == changed, reported, "%+v", findings)
		})
	}
}

// A short is a finding without its texts, for tables.
type short struct {
	pointer string
	kind    diff.Kind
	effect  diff.Effect
}

func shortened(findings []diff.Difference) []short {
	var all []short
	for _, f := range findings {
		all = append(all, short{f.Pointer, f.Kind, f.Effect})
	}
	return all
}

func TestCompare_ReportsOneFindingForADefault(t *testing.T) {
	t.Parallel()
	reworded := func(pointer string, kind diff.Kind) []short {
		return []short{{pointer, kind, diff.Reworded}}
	}
	for name, c := range map[string]struct {
		old, now string
		want     []short
	}{
		"one that is filled in": {
			`{"type":"object","properties":{"a":{"default":1}}}`, `{"type":"object","properties":{"a":{"default":2}}}`,
			reworded("/properties/a/default", diff.Default),
		},
		"one in a part of an allOf": {
			`{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"a":{"default":1}}}]}`,
			`{"type":"object","properties":{"b":{}},"allOf":[{"properties":{"a":{"default":2}}}]}`,
			reworded("/allOf/0/properties/a/default", diff.Text),
		},
		"one under a pattern": {
			`{"type":"object","patternProperties":{"^a":{"properties":{"x":{"default":1}}}}}`,
			`{"type":"object","patternProperties":{"^a":{"properties":{"x":{"default":2}}}}}`,
			reworded("/patternProperties/^a/properties/x/default", diff.Text),
		},
		"one behind another of the member": {
			`{"type":"object","properties":{"a":{"default":1,"allOf":[{"default":1}]}}}`,
			`{"type":"object","properties":{"a":{"default":1,` +
				`"allOf":[{"default":2}]}}}`,
			reworded("/properties/a/allOf/0/default", diff.Text),
		},
		"one that disagrees with that of another part": {
			`{"type":"object","properties":{"a":{"default":1}},"allOf":[{"properties":{"a":{"default":1}}}]}`,
			`{"type":"object","properties":{"a":{"default":1}},"allOf":[{"properties":{"a":{"default":2}}}]}`,
			reworded("/allOf/0/properties/a/default", diff.Text),
		},
		"one of the whole": {
			`{"type":"object","default":{}}`, `{"type":"object","default":{"a":1}}`,
			reworded("/default", diff.Text),
		},
		"one of an item": {
			`{"type":"object","properties":{"a":{"items":{"default":1}}}}`, `{"type":"object","properties":{"a":{"items":{"default":2}}}}`,
			reworded("/properties/a/items/default", diff.Text),
		},
		"one of an alternative": {
			`{"type":"object","properties":{"a":{"anyOf":[{"default":1}]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"default":2}]}}}`,
			reworded("/properties/a/anyOf/0/default", diff.Text),
		},
		"one of a definition that two members are": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":1}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":2}}}`,
			[]short{{"/properties/a/default", diff.Default, diff.Reworded}, {"/properties/b/default", diff.Default,
				diff.Reworded}},
		},
		"one that went with its member": {
			`{"type":"object","properties":{"a":{"default":1}},"additionalProperties":false}`,
			`{"type":"object","additionalProperties":false}`,
			[]short{{"/properties/a", diff.Property, diff.Narrowed}},
		},
		"one that came with its member": {
			`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{"a":{"default":1}},` +
				`"additionalProperties":false}`,
			[]short{{"/properties/a", diff.Property, diff.Widened}},
		},
		"one that came within a member that came": {
			`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{"a":{"properties":{"b":{"default":1}}}},` +
				`"additionalProperties":false}`,
			[]short{{"/properties/a", diff.Property, diff.Widened}},
		},
		"one that came beside what may refuse other things": {
			`{"type":"object","properties":{"o":{"maxProperties":1}},"minProperties":1,"additionalProperties":false}`,
			`{"type":"object","properties":{"o":{"maxProperties":1},"a":{"default":1}},"minProperties":1,"additionalProperties":false}`,
			[]short{{"/properties/a", diff.Property, diff.Widened}},
		},
		"one that came with an object where there was none": {
			`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":["string","object"],` +
				`"properties":{"b":{"default":1}}}}}`,
			[]short{{"/properties/a/properties/b/default", diff.Text, diff.Reworded}, {"/properties/a/type", diff.Type,
				diff.Widened}},
		},
		"of a member, moved into its allOf": {
			`{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"allOf":[{"type":"integer","default":1}]}},"required":["a"]}`,
			reworded("/properties/a/default", diff.Default),
		},
		"the same, in a definition": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"default":1,"type":"integer"}}}`,
			`{"type":"object","properties":{"a":{"default":1,"type":"integer"}}}`,
			nil,
		},
		"the same, under many patterns": {
			`{"type":"object","properties":{"z":{"default":1}},"patternProperties":{"a":{},"b":{},"c":{},"d":{},"e":{"type":"string"}}}`,
			`{"type":"object","properties":{"z":{"default":1}},"patternProperties":{"a":{},"b":{},"c":{},"d":{},"e":{"type":"string",` +
				`"title":"e"}}}`,
			reworded("/patternProperties/e/title", diff.Text),
		},
	} {
		assert.Equal(t, c.want, shortened(findingsOf(c.old, c.now)), name)
	}
}
