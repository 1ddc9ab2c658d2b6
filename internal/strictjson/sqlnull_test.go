package strictjson_test

import (
	"database/sql"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

type nulls struct {
	Text  sql.NullString
	Big   sql.NullInt64
	Time  sql.NullTime
	Inner sql.Null[struct {
		N int `json:"n"`
	}]
	List []sql.Null[float64]
	Map  map[string]*sql.NullBool
	Left sql.Null[string] `json:",omitzero"`
}

func TestNullTypes_AreNullOrTheValueWithin(t *testing.T) {
	t.Parallel()
	var v nulls
	const text = `{"Text":"a","Big":9007199254740993,"Time":"2026-01-02T03:04:05Z","Inner":{"n":1},"List":[1.5,null],` +
		`"Map":{"a":true,"b":null}}`
	require.NoError(t, strictjson.Unmarshal([]byte(text), &v))
	assert.Equal(t, sql.NullString{String: "a", Valid: true}, v.Text)
	assert.Equal(t, sql.NullTime{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Valid: true}, v.Time)
	assert.Equal(t, []sql.Null[float64]{{V: 1.5, Valid: true}, {}}, v.List)
	out, err := strictjson.MarshalValue(v)
	require.NoError(t, err)
	assert.Equal(t, text, string(out))

	require.NoError(t, strictjson.Unmarshal([]byte(`{"Text":null,"Big":null,"Time":null,"Inner":null}`), &v))
	assert.False(t, v.Text.Valid)
	assert.Empty(t, v.Text.String)
	assert.False(t, v.Inner.Valid)
}

func TestNullTypes_RefuseWhatTheValueWithinRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"another type":              `{"Text":1}`,
		"an unknown member":         `{"Inner":{"x":1}}`,
		"the form of encoding/json": `{"Text":{"String":"a","Valid":true}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var v nulls
			var refused *strictjson.Error
			require.ErrorAs(t, strictjson.Unmarshal([]byte(text), &v), &refused)
			assert.Equal(t, strictjson.RuleBind, refused.Rule)
			assert.NotEmpty(t, refused.Pointer)
		})
	}
}

func TestNullElem_KnowsOnlyTheTypesOfDatabaseSQL(t *testing.T) {
	t.Parallel()
	elem, ok := strictjson.NullElem(reflect.TypeFor[sql.NullInt16]())
	assert.True(t, ok)
	assert.Equal(t, reflect.TypeFor[int16](), elem)
	for _, other := range []reflect.Type{
		reflect.TypeFor[nulls](), reflect.TypeFor[sql.DB](), reflect.TypeFor[*sql.NullBool](), reflect.TypeFor[string](),
	} {
		_, ok := strictjson.NullElem(other)
		assert.False(t, ok, other)
	}
}
