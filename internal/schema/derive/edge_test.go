package derive_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

// filled returns a value for a field of jsonschema.Schema, of that field's
// type, that MarshalJSON doesn't omit.
func filled(t *testing.T, of reflect.Type) reflect.Value {
	t.Helper()
	one, member := uint64(1), &jsonschema.Schema{Type: "string", Enum: []any{"<&>\u2028", int64(-1), uint64(1 << 63), 1e21, true,
		nil, []any{"a"}}}
	properties := jsonschema.NewProperties()
	properties.Set("b\"", member)
	properties.Set("a", jsonschema.FalseSchema)
	for _, value := range []any{
		true, &one, json.Number("1.5"), "text\n", jsonschema.ID("https://example.com"), []string{"b", "a"}, member,
		[]*jsonschema.Schema{member, jsonschema.TrueSchema},
		properties, map[string]*jsonschema.Schema{"b": member, "a": {}}, jsonschema.Definitions{"b": member,
			"a": {Extras: map[string]any{}}},
		[]any{"x", nil}, map[string]any{"x-b": []any{"c", false}, "x-a": "<"}, map[string][]string{"a": {"b"}},
	} {
		if v := reflect.ValueOf(value); v.Type() == of {
			return v
		}
	}
	require.Equal(t, reflect.TypeFor[any](), of, "a type that no field had")
	return reflect.ValueOf("any")
}

func TestEdge_WritesEveryFieldAsInvopopDoes(t *testing.T) {
	t.Parallel()
	all := &jsonschema.Schema{}
	for i := range reflect.TypeFor[jsonschema.Schema]().NumField() {
		field := reflect.TypeFor[jsonschema.Schema]().Field(i)
		if !field.IsExported() {
			continue
		}
		one := &jsonschema.Schema{}
		value := filled(t, field.Type)
		reflect.ValueOf(one).Elem().Field(i).Set(value)
		same(t, one)
		reflect.ValueOf(all).Elem().Field(i).Set(value)
	}
	same(t, all)
}

// marshal writes a schema as encoding/json does, without escaping text.
func marshal(s *jsonschema.Schema) (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	out, err := jsontext.AppendFormat(nil, data)
	return string(out), err
}

// same checks that a schema is written as marshal writes it, even after an
// author had it.
func same(t require.TestingT, s *jsonschema.Schema) {
	want, err := marshal(s)
	require.NoError(t, err)
	got, err := derive.ReadInvopop(s)
	require.NoError(t, err)
	require.Equal(t, want, string(got.Text()))
	again, err := derive.ThroughInvopop(got)
	require.NoError(t, err)
	require.Equal(t, want, string(again.Text()))
}

func TestEdge_RefusesSchemasThatAreNotJSON(t *testing.T) {
	t.Parallel()
	endless := &jsonschema.Schema{}
	endless.Items = endless
	for name, s := range map[string]*jsonschema.Schema{
		"a name twice":          {Type: "string", Extras: map[string]any{"type": "object"}},
		"a value of no JSON":    {Default: func() {}},
		"a value that panics":   {Const: exploding{}},
		"a number that is none": {Minimum: "one"},
		"one that holds itself": endless,
	} {
		_, err := derive.ReadInvopop(&jsonschema.Schema{AllOf: []*jsonschema.Schema{s}})
		require.Error(t, err, name)
	}
}

func TestEdge_WritesTextsAsInvopopDoes(t *testing.T) {
	t.Parallel()
	drawtest.Check(t, func(r *drawtest.T) {
		text := r.Text()
		properties := jsonschema.NewProperties()
		properties.Set(text, &jsonschema.Schema{Enum: []any{text}})
		same(r, &jsonschema.Schema{Description: text, Required: []string{text}, Properties: properties,
			Extras: map[string]any{"x-" + text: []any{text}}})
	})
}

// An endlessType describes a schema that contains itself.
type endlessType struct{}

func (endlessType) JSONSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "array"}
	s.Items = s
	return s
}

// A rewritten type changes its schema in ways that are hard to follow.
type rewritten struct {
	Kept    string   `json:"kept" jsonschema:"minLength=2,maxLength=1"`
	Twice   int8     `json:"twice"`
	Choice  []string `json:"choice"`
	Nothing any      `json:"nothing"`
}

func (*rewritten) JSONSchemaExtend(s *jsonschema.Schema) {
	one, _ := s.Properties.Get("twice")
	one.Title = "One schema in two places"
	s.Properties.Set("again", one)
	s.AnyOf = []*jsonschema.Schema{{Required: []string{"kept"}}, jsonschema.TrueSchema, {}}
	s.Extras["x-large"] = int64(9007199254740993)
}

func TestDerive_KeepsWhatAnAuthorChanges(t *testing.T) {
	t.Parallel()
	raw, problems := derive.Derive(reflect.TypeFor[rewritten](), schema.Output, derive.Options{})
	require.Empty(t, problems)
	const one = `{"type":"integer","maximum":127,"minimum":-128,"title":"One schema in two places"}`
	assert.JSONEq(t, `{"anyOf":[{"required":["kept"]},true,true],"properties":{`+
		`"kept":{"type":"string","maxLength":1,"minLength":2},`+
		`"twice":`+one+`,"choice":{"items":{"type":"string"},"type":"array"},"nothing":{},"again":`+one+`},`+
		`"additionalProperties":false,"type":"object","required":["kept","twice","choice","nothing"],"x-large":9007199254740993}`,
		string(raw))
	assert.Contains(t, string(raw), "9007199254740993")
}

type listed []string

func (listed) JSONSchemaExtend(s *jsonschema.Schema) { s.Title = "A list" }

// A misled type has a mistake in one of its own fields.
type misled struct {
	Pattern string `json:"pattern" jsonschema:"pattern=("`
}

func (misled) JSONSchemaExtend(s *jsonschema.Schema) { s.Title = "Misled" }

func TestDerive_NamesFieldsOfATypeThatChangesItsSchema(t *testing.T) {
	t.Parallel()
	_, problems := derive.Derive(reflect.TypeFor[misled](), schema.Input, derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, "misled.Pattern", problems[0].Field)

	_, problems = derive.Derive(reflect.TypeFor[struct{ V endlessType }](), schema.Input, derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, derive.RuleMarshaler, problems[0].Rule)
	assert.Equal(t, "input.V", problems[0].Field)

	of := oneField(reflect.TypeFor[listed](), jsonschemaTag("minLength=2,minItems=1"))
	raw, problems := derive.Derive(of, schema.Input, derive.Options{})
	require.Empty(t, problems)
	assert.Contains(t, string(raw), `{"items":{"type":"string","minLength":2},"type":"array","minItems":1,"title":"A list"}`)
}
