package derive_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// reference returns the schema of the library's own Reflector, configured as
// far as possible: everything is written in place, and numbers have the range
// of their Go type.
func reference(of reflect.Type) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, Mapper: rangeOf}
	s := r.ReflectFromType(of)
	s.Version = ""
	return s
}

func rangeOf(t reflect.Type) *jsonschema.Schema {
	limits := func(low, high any) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "integer", Minimum: json.Number(fmt.Sprint(low)), Maximum: json.Number(fmt.Sprint(high))}
	}
	switch t.Kind() { //nolint:exhaustive // only numbers have a range
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer", Format: "int64"}
	case reflect.Uint, reflect.Uint64:
		return &jsonschema.Schema{Type: "integer", Minimum: "0"}
	case reflect.Int8:
		return limits(-128, 127)
	case reflect.Int16:
		return limits(-32768, 32767)
	case reflect.Int32:
		return limits(-2147483648, 2147483647)
	case reflect.Uint8:
		return limits(0, 255)
	case reflect.Uint16:
		return limits(0, 65535)
	case reflect.Uint32:
		return limits(0, 4294967295)
	case reflect.Float32:
		return &jsonschema.Schema{Type: "number", Minimum: "-3.4028235e38", Maximum: "3.4028235e38"}
	}
	return nil
}

type (
	refScalars struct {
		Text     string    `json:"text"`
		Flag     bool      `json:"flag"`
		Int      int       `json:"int"`
		Int8     int8      `json:"int8"`
		Int16    int16     `json:"int16"`
		Int32    int32     `json:"int32"`
		Int64    int64     `json:"int64"`
		Uint     uint      `json:"uint"`
		Uint8    uint8     `json:"uint8"`
		Uint16   uint16    `json:"uint16"`
		Uint32   uint32    `json:"uint32"`
		Uint64   uint64    `json:"uint64"`
		Float32  float32   `json:"float32"`
		Float64  float64   `json:"float64"`
		Time     time.Time `json:"time"`
		Unnamed  string
		Left     string `json:"-"`
		internal string
	}
	refOptional struct {
		Text    string             `json:"text,omitempty"`
		Number  *int               `json:"number,omitempty"`
		When    *time.Time         `json:"when,omitempty"`
		Inner   *refInner          `json:"inner,omitempty"`
		List    []string           `json:"list,omitempty"`
		Map     map[string]float64 `json:"map,omitempty"`
		Pointer *string            `json:"pointer,omitempty"`
	}
	refInner struct {
		Name string `json:"name" jsonschema:"minLength=1"`
	}
	refContainers struct {
		Texts   []string          `json:"texts"`
		Numbers []int32           `json:"numbers"`
		Table   [][]float64       `json:"table"`
		Bytes   []byte            `json:"bytes"`
		Pair    [2]string         `json:"pair"`
		Map     map[string]string `json:"map"`
		Maps    map[string][]bool `json:"maps"`
		Free    map[string]any    `json:"free"`
		Structs []refInner        `json:"structs"`
	}
	refNested struct {
		Outer struct {
			Inner struct {
				Text string `json:"text"`
			} `json:"inner"`
			Optional int8 `json:"optional,omitempty"`
		} `json:"outer"`
		List []struct {
			Flag bool `json:"flag"`
		} `json:"list"`
		Map map[string]refInner `json:"map"`
	}
	refEmbedded struct {
		refInner
		Text string `json:"text"`
	}
	refTagged struct {
		Text     string   `json:"text" jsonschema:"title=A text,description=What it says,minLength=1,maxLength=9,pattern=^[a-z]+$,example=abc,example=xyz"`
		Choice   string   `json:"choice" jsonschema:"enum=a,enum=b"`
		Default  string   `json:"default,omitempty" jsonschema:"default=abc"`
		Format   string   `json:"format" jsonschema:"format=email"`
		Count    int      `json:"count" jsonschema:"minimum=1,maximum=10,multipleOf=3,enum=3,enum=9"`
		Small    int8     `json:"small" jsonschema:"minimum=-5,maximum=5"`
		Rate     float64  `json:"rate" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1,multipleOf=0.5"`
		Flag     bool     `json:"flag,omitempty" jsonschema:"default=true"`
		Number   int      `json:"number,omitempty" jsonschema:"default=7"`
		List     []string `json:"list" jsonschema:"minItems=1,maxItems=4,uniqueItems=true"`
		Items    []string `json:"items" jsonschema:"minLength=2,maxLength=8,enum=ab,enum=cd"`
		Numbers  []int    `json:"numbers" jsonschema:"minimum=1,maximum=8"`
		ReadOnly string   `json:"readOnly" jsonschema:"readOnly=true"`
		Comma    string   `json:"comma" jsonschema_description:"One, two, three."`
		Must     string   `json:"must" jsonschema:"required"`
	}
)

// The schema omits the field.
var _ = refScalars{}.internal

func TestDerive_MatchesTheReflectorForOrdinaryTypes(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{
		reflect.TypeFor[refScalars](), reflect.TypeFor[refOptional](), reflect.TypeFor[refContainers](),
		reflect.TypeFor[refNested](), reflect.TypeFor[refEmbedded](), reflect.TypeFor[refTagged](),
		reflect.TypeFor[refInner](), reflect.TypeFor[struct{}](),
	} {
		for _, dir := range []schema.Direction{schema.Input, schema.Output} {
			t.Run(fmt.Sprintf("%s as %s", of.Name(), dir), func(t *testing.T) {
				t.Parallel()
				got, problems := derive.Derive(of, dir, derive.Options{})
				require.Empty(t, problems)
				want, err := json.Marshal(reference(of))
				require.NoError(t, err)
				assert.JSONEq(t, string(want), string(got))
			})
		}
	}
}
