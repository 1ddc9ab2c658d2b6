package derive_test

import (
	"database/sql"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// A nullableTree refers to itself.
type nullableTree struct {
	Left *nullableTree `json:"left,omitempty" jsonschema:"nullable"`
}

const orNull = `,{"type":"null"}]`

func TestDerive_AcceptsNullWhereTheTagDeclaresIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, want string
	}{
		"text": {
			reflect.TypeFor[*string](), jsonschemaTag("nullable,title=T,description=D,minLength=1,pattern=^a,example=ab,default=a"),
			`{"anyOf":[{"type":"string","minLength":1,"pattern":"^a"}` + orNull + `,"title":"T","description":"D","default":"a",` +
				`"examples":["ab"]}`,
		},
		"an integer": {reflect.TypeFor[*int8](), jsonschemaTag("minimum=1,nullable,enum=2"), `{"anyOf":[{"type":"integer","enum":[2],` +
			`"maximum":127,"minimum":1}` + orNull + `}`},
		"a struct": {reflect.TypeFor[*leaf](), jsonschemaTag("nullable"), `{"anyOf":[{"properties":{"name":{"type":"string"}},` +
			`"additionalProperties":false,"type":"object","required":["name"]}` + orNull + `}`},
		"a list": {reflect.TypeFor[*[]string](), jsonschemaTag("nullable,minItems=1,minLength=2"),
			`{"anyOf":[{"items":{"type":"string","minLength":2},"type":"array","minItems":1}` + orNull + `}`},
		"a Null type": {reflect.TypeFor[sql.NullString](), jsonschemaTag("maxLength=9,description=D"),
			`{"anyOf":[{"type":"string","maxLength":9}` + orNull + `,"description":"D"}`},
		"Null[T]": {reflect.TypeFor[sql.Null[leaf]](), "", `{"anyOf":[{"properties":{"name":{"type":"string"}},` +
			`"additionalProperties":false,"type":"object","required":["name"]}` + orNull + `}`},
		"Nulls in list": {reflect.TypeFor[[]sql.NullInt16](), jsonschemaTag("minimum=0"), `{"items":{"anyOf":[{"type":"integer",` +
			`"maximum":32767,"minimum":0}` + orNull + `},"type":"array"}`},
		"Nulls in map": {reflect.TypeFor[map[string]sql.NullBool](), "", `{"additionalProperties":{"anyOf":[{"type":"boolean"}` +
			orNull + `},"type":"object"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(oneField(test.of, test.tag), schema.Input, derive.Options{})
			require.Empty(t, problems)
			assert.Equal(t, `{"properties":{"v":`+test.want+`},"additionalProperties":false,"type":"object"}`, string(raw))
		})
	}
}

// Validation would try alternatives at each level.
func TestDerive_RefusesNullWithinARecursiveType(t *testing.T) {
	t.Parallel()
	_, problems := derive.Derive(reflect.TypeFor[nullableTree](), schema.Input, derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, schema.RuleRecursion, problems[0].Rule)
	assert.Equal(t, "nullableTree.Left", problems[0].Field)
}

func TestDerive_ANullableOutputPointerNeedsNoOmitempty(t *testing.T) {
	t.Parallel()
	type output struct {
		Note *string `json:"note" jsonschema:"nullable"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[output](), schema.Output, derive.Options{})
	require.Empty(t, problems)
	assert.Equal(t, `{"properties":{"note":{"anyOf":[{"type":"string"}`+orNull+`}},"additionalProperties":false,"type":"object",`+
		`"required":["note"]}`, string(raw))
}

func TestDerive_FillsDefaultsWithinANullableStruct(t *testing.T) {
	t.Parallel()
	type page struct {
		Size int `json:"size,omitempty" jsonschema:"default=10"`
	}
	type input struct {
		Page *page `json:"page,omitempty" jsonschema:"nullable"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[input](), schema.Input, derive.Options{})
	require.Empty(t, problems)
	compiled, problems := schema.Compile(raw, schema.CompileOptions{})
	require.Empty(t, problems)
	filled, _ := compiled.Fill(map[string]any{"page": map[string]any{}})
	assert.Equal(t, map[string]any{"page": map[string]any{"size": int64(10)}}, filled)
	filled, changed := compiled.Fill(map[string]any{"page": nil})
	assert.False(t, changed)
	assert.Equal(t, map[string]any{"page": nil}, filled)
}
