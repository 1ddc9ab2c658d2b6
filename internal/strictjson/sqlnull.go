package strictjson

import (
	"database/sql/driver"
	"errors"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// NullElem returns the type of the value within sql.Null[T] or one of the other
// Null types of package database/sql, such as sql.NullString. ok is false for
// any other type.
//
// [Unmarshal] and [MarshalValue] read and write such a value as null or the
// inner value, where encoding/json would write an object with a member Valid.
func NullElem(t reflect.Type) (elem reflect.Type, ok bool) {
	if t.PkgPath() != "database/sql" || !strings.HasPrefix(t.Name(), "Null") || t.Kind() != reflect.Struct {
		return nil, false
	}
	if t.NumField() != 2 || t.Field(nullValid).Name != "Valid" {
		return nil, false
	}
	return t.Field(nullValue).Type, true
}

// The fields of the Null types of package database/sql.
const (
	nullValue = iota
	nullValid
)

// nullOf returns the Null value of package database/sql that v points to.
func nullOf(v any) (null reflect.Value, ok bool) {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer {
		return reflect.Value{}, false
	}
	_, ok = NullElem(p.Type().Elem())
	return p.Elem(), ok
}

func marshalNull(enc *jsontext.Encoder, v driver.Valuer) error {
	null, ok := nullOf(v)
	if !ok {
		return errors.ErrUnsupported
	}
	if !null.Field(nullValid).Bool() {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, null.Field(nullValue).Addr().Interface())
}

// A scanner is an sql.Scanner.
type scanner interface{ Scan(src any) error }

func unmarshalNull(dec *jsontext.Decoder, v scanner) error {
	null, ok := nullOf(v)
	if !ok {
		return errors.ErrUnsupported
	}
	null.SetZero()
	if dec.PeekKind() == jsontext.KindNull {
		return dec.SkipValue()
	}
	null.Field(nullValid).SetBool(true)
	return json.UnmarshalDecode(dec, null.Field(nullValue).Addr().Interface())
}
