package contract

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Build does not compute the digest of a document that is surely within the
// limits of a JSON text. Every list, map and JSON text can be beyond them,
// including those of members that are added to the document later.
func TestDocument_NoLargePartIsLeftOutOfTheCheckBeforeTheDigest(t *testing.T) {
	t.Parallel()
	var d Document
	assert.True(t, d.surelyHasDigest())
	parts := 0
	enlarge(reflect.ValueOf(&d).Elem(), "", func(part string) {
		parts++
		assert.False(t, d.surelyHasDigest(), "the check leaves out %s", part)
	})
	assert.Greater(t, parts, 10)
	assert.True(t, d.surelyHasDigest())
}

// enlarge makes one part of v after another large, calls check with its name,
// and makes it empty again.
func enlarge(v reflect.Value, name string, check func(part string)) {
	large := func(value reflect.Value) {
		v.Set(value)
		check(name)
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			enlarge(v.Field(i), name+"."+v.Type().Field(i).Name, check)
		}
		return
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		enlarge(v.Elem(), name, check)
	case reflect.Map:
		m := reflect.MakeMap(v.Type()) // one value can be large
		m.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		large(m)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			large(reflect.ValueOf(json.RawMessage(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))))
			break
		}
		large(reflect.MakeSlice(v.Type(), modestList, modestList))
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		enlarge(v.Index(0), name+"[]", check)
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint8:
		return
	default:
		check(name + ", whose kind this test does not know")
	}
	v.SetZero()
}
