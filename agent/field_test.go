package agent_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/agent"
)

func TestFields_ReadEveryFormOfSchema(t *testing.T) {
	t.Parallel()
	want := []agent.Field{
		{Name: "to", Kinds: []string{"string"}, Description: "Whom.", Required: true},
		{Name: "count", Kinds: []string{"integer"}, Default: json.RawMessage(`1`)},
	}
	const order = `{"type":"object","properties":{"to":{"type":"string","description":"Whom."},` +
		`"count":{"type":"integer","default":1}},"required":["to"]}`
	for name, schema := range map[string]string{
		"properties":      order,
		"$ref at root":    `{"$ref":"#/$defs/o","$defs":{"o":` + order + `}}`,
		"allOf":           `{"allOf":[` + order + `]}`,
		"nested allOf":    `{"allOf":[{"allOf":[{"$ref":"#/$defs/o"}]}],"$defs":{"o":` + order + `}}`,
		"a circle":        `{"$ref":"#/$defs/o","$defs":{"o":{"allOf":[` + order + `,{"$ref":"#/$defs/o"}]}}}`,
		"anyOf with null": `{"anyOf":[` + order + `,{"type":"null"}]}`,
		"$refs of members": `{"type":"object","properties":{"to":{"$ref":"#/$defs/t","description":"Whom."},` +
			`"count":{"$ref":"#/$defs/n"}},"required":["to"],` +
			`"$defs":{"t":{"type":"string","description":"Other."},"n":{"type":"integer","default":1}}}`,
		"allOf of a member": `{"properties":{"to":{"allOf":[{"type":"string"},{"description":"Whom."}]},` +
			`"count":{"type":"integer","default":1}},"required":["to"]}`,
		"both places": `{"properties":{"to":{"description":"Whom."},"count":{"default":1}},"required":["to"],` +
			`"allOf":[{"properties":{"count":{"type":"integer"},"to":{"type":"string"}}}]}`,
	} {
		assert.Equal(t, want, agent.Fields(json.RawMessage(schema)), name)
	}
}

func TestFields_ABranchRequiresNothingOfTheOthers(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []agent.Field{{Name: "to", Required: true}, {Name: "count"}}, agent.Fields(json.RawMessage(
		`{"required":["to"],"oneOf":[{"required":["count"],"properties":{"to":{},"count":{}}},{"properties":{"other":false}}]}`)))
}

func TestFields_KindsAndChoices(t *testing.T) {
	t.Parallel()
	a, b := agent.Choice{Value: json.RawMessage(`"a"`), Name: "A"}, agent.Choice{Value: json.RawMessage(`"b"`)}
	for schema, want := range map[string]agent.Field{
		`{}`:                                   {},
		`true`:                                 {},
		`{"type":["null","string"]}`:           {Kinds: []string{"string", "null"}},
		`{"type":["integer","number"]}`:        {Kinds: []string{"number"}},
		`{"enum":["a","b"],"enumNames":["A"]}`: {Kinds: []string{"string"}, Choices: []agent.Choice{a, b}},
		`{"const":"a"}`:                        {Kinds: []string{"string"}},
		`{"oneOf":[{"const":"a","title":"A"},{"const":"b"}]}`: {Kinds: []string{"string"}, Choices: []agent.Choice{a, b}},
		`{"anyOf":[{"$ref":"#/$defs/e"},{"type":"null"}]}`: {
			Kinds: []string{"string", "null"}, Choices: []agent.Choice{a, b},
		},
		`{"type":"array","items":{"$ref":"#/$defs/e"}}`: {
			Kinds: []string{"array"}, Items: []string{"string"}, Choices: []agent.Choice{a, b},
		},
		`{"$ref":"#/$defs/circle"}`: {},
		`{"allOf":[{"type":["string","integer"]},{"type":["integer","null"]}]}`: {Kinds: []string{"integer"}},
	} {
		want.Name = "x"
		got := agent.Fields(json.RawMessage(`{"properties":{"x":` + schema + `},"$defs":{` +
			`"circle":{"anyOf":[{"$ref":"#/$defs/circle"}]},"e":{"enum":["a","b"],"enumNames":["A"]}}}`))
		assert.Equal(t, []agent.Field{want}, got, schema)
	}
	assert.Empty(t, agent.Fields(nil))
	assert.Empty(t, agent.Fields(json.RawMessage(`true`)))
	assert.Empty(t, agent.Fields(json.RawMessage(`{"properties":{"x":false}}`)))
	assert.Empty(t, agent.Fields(json.RawMessage(`{"patternProperties":{"x":{}},"additionalProperties":{}}`)))
}

// A form that demands more than the box to tick asks for data.
func TestQuestion_ConfirmsOnlyByOneBox(t *testing.T) {
	t.Parallel()
	const box = `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`
	for form, confirms := range map[string]bool{
		box: true,
		`{"$ref":"#/$defs/b","$defs":{"b":` + box + `}}`:                                                                    true,
		`{"allOf":[` + box + `,{"properties":{"password":{"type":"string"}}}],"properties":{"confirm":{"type":"boolean"}}}`: false,
	} {
		assert.Equal(t, confirms, agent.Question{Form: json.RawMessage(form)}.Confirms(), form)
	}
}

// A server can write a schema in which each part refers twice to the next.
func TestFields_EndForAHostileSchema(t *testing.T) {
	t.Parallel()
	schema := `{"$ref":"#/$defs/a0","properties":{"x":{"$ref":"#/$defs/a0"}},"$defs":{`
	for range 60 {
		n := strings.Count(schema, `":{"allOf"`)
		schema += strings.ReplaceAll(`"aN":{"allOf":[{"$ref":"#/$defs/aM"},{"$ref":"#/$defs/aM"}],`+
			`"anyOf":[{"$ref":"#/$defs/aM"},{"$ref":"#/$defs/aM"}]},`, "aN", "a"+strconv.Itoa(n))
		schema = strings.ReplaceAll(schema, "aM", "a"+strconv.Itoa(n+1))
	}
	assert.Len(t, agent.Fields(json.RawMessage(schema+`"a60":{}}}`)), 1)
}
