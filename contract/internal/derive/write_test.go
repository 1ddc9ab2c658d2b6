package derive_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/contract/internal/derive"
)

// filled returns a value of the type of a field of jsonschema.Schema that
// MarshalJSON does not omit.
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

func TestWrite_WritesEveryFieldAsMarshalDoes(t *testing.T) {
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
		same(t, one, field.Name != "DependentRequired")
		if field.Name != "DependentRequired" {
			reflect.ValueOf(all).Elem().Field(i).Set(value)
		}
	}
	same(t, all, true)
}

// same checks that write returns the bytes of marshal, or false. With must, it
// has to return the bytes.
func same(t *testing.T, s *jsonschema.Schema, must bool) {
	t.Helper()
	want, err := derive.Marshal(s)
	got, ok := derive.Write(s)
	if ok {
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
	if must {
		assert.True(t, ok, "%s", want)
	}
}

func TestWrite_LeavesUnsureSchemasToMarshal(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*jsonschema.Schema{
		"a name twice":       {Type: "string", Extras: map[string]any{"type": "object"}},
		"text of no UTF-8":   {Title: "\xff"},
		"a missing schema":   {AllOf: []*jsonschema.Schema{nil}},
		"a value of no JSON": {Default: func() {}},
	} {
		_, ok := derive.Write(s)
		assert.False(t, ok, name)
	}
}

func TestWrite_WritesTextsAsMarshalDoes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(r,
			"text")
		properties := jsonschema.NewProperties()
		properties.Set(text, &jsonschema.Schema{Enum: []any{text}})
		s := &jsonschema.Schema{Description: text, Required: []string{text}, Properties: properties,
			Extras: map[string]any{"x-" + text: []any{text}}}
		want, err := derive.Marshal(s)
		got, ok := derive.Write(s)
		if ok != (strings.ToValidUTF8(text, "") == text) || ok && (err != nil || string(want) != string(got)) {
			r.Fatalf("%q is written as %s, not %s", text, got, want)
		}
	})
}
