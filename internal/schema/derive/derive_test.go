package derive_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"testing"
	"time"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

func ExampleDerive() {
	type Input struct {
		To   []string `json:"to"             jsonschema:"minItems=1,maxItems=50"`
		Code string   `json:"code,omitempty" jsonschema:"pattern=^[a-z]{1\\,3}$,default=abc"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[Input](), schema.Input, derive.Options{})
	fmt.Println(string(raw), problems)
	// Output:
	// {"properties":{"to":{"items":{"type":"string"},"type":"array","maxItems":50,"minItems":1},"code":{"type":"string","pattern":"^[a-z]{1,3}$","default":"abc"}},"additionalProperties":false,"type":"object","required":["to"]} []
}

func ExampleDerive_problems() {
	type Input struct {
		Name string `json:"name" jsonschema:"minLenght=3"`
	}
	_, problems := derive.Derive(reflect.TypeFor[Input](), schema.Input, derive.Options{})
	for _, problem := range problems {
		fmt.Println(problem.Rule, problem.Field, problem.Message)
	}
	// Output:
	// schema.tag.unknown Input.Name "minLenght" is not a keyword (did you mean "minLength"?)
}

type status uint8

func (s *status) UnmarshalText([]byte) error  { return nil }
func (s status) MarshalText() ([]byte, error) { return nil, nil }

type octet byte

type leaf struct {
	Name string `json:"name"`
}

type tree struct {
	Kids []tree `json:"kids,omitempty"`
}

type forest map[string]forest

type page[T any] struct {
	Items []T      `json:"items"`
	Next  *page[T] `json:"next,omitempty"`
}

type money struct{ cents int64 }

func (m money) MarshalJSON() ([]byte, error) { return nil, nil }
func (m *money) UnmarshalJSON([]byte) error  { return nil }
func (*money) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^\d+$`}
}

type cents struct{ n int }

func (cents) MarshalJSON() ([]byte, error) { return []byte("0"), nil }
func (*cents) UnmarshalJSON([]byte) error  { return nil }

type alias struct{ secret int }

func (alias) JSONSchemaAlias() any { return leaf{} }

type extended struct {
	A int8 `json:"a"`
}

func (extended) JSONSchemaExtend(s *jsonschema.Schema) { s.Title = "Extended" }

type loop struct {
	Lists [][]loop        `json:"lists,omitempty"`
	Map   map[string]loop `json:"map,omitempty"`
	Any   *loopAlias      `json:"any,omitempty"`
}

type loopAlias struct{}

func (loopAlias) JSONSchemaAlias() any { return loop{} }

const loopDefs = `{"$defs":{"loop":{"properties":{"lists":{"items":{"items":{"$ref":"#/$defs/loop"},"type":"array"},` +
	`"type":"array"},` +
	`"map":{"additionalProperties":{"$ref":"#/$defs/loop"},"type":"object"},"any":{"$ref":"#/$defs/loop"}},` +
	`"additionalProperties":false,"type":"object"}},`

// Each type is the only member, "v", of an input.
func TestDerive_WritesEachKindOfType(t *testing.T) {
	t.Parallel()
	const object = `"additionalProperties":false,"type":"object"`
	for name, test := range map[string]struct {
		of   reflect.Type
		want string
	}{
		"text":                {reflect.TypeFor[string](), `{"type":"string"}`},
		"a boolean":           {reflect.TypeFor[bool](), `{"type":"boolean"}`},
		"an int8":             {reflect.TypeFor[int8](), `{"type":"integer","maximum":127,"minimum":-128}`},
		"an int32":            {reflect.TypeFor[int32](), `{"type":"integer","maximum":2147483647,"minimum":-2147483648}`},
		"an int64":            {reflect.TypeFor[int64](), `{"type":"integer","format":"int64"}`},
		"an uint8":            {reflect.TypeFor[uint8](), `{"type":"integer","maximum":255,"minimum":0}`},
		"an uint32":           {reflect.TypeFor[uint32](), `{"type":"integer","maximum":4294967295,"minimum":0}`},
		"an uint64":           {reflect.TypeFor[uint64](), `{"type":"integer","minimum":0}`},
		"a float32":           {reflect.TypeFor[float32](), `{"type":"number","maximum":3.4028235e38,"minimum":-3.4028235e38}`},
		"a float64":           {reflect.TypeFor[float64](), `{"type":"number"}`},
		"a pointer":           {reflect.TypeFor[**string](), `{"type":"string"}`},
		"any":                 {reflect.TypeFor[any](), `{}`},
		"raw JSON":            {reflect.TypeFor[json.RawMessage](), `{}`},
		"bytes":               {reflect.TypeFor[[]byte](), `{"type":"string","contentEncoding":"base64"}`},
		"named bytes":         {reflect.TypeFor[[]octet](), `{"type":"string","contentEncoding":"base64"}`},
		"bytes that are text": {reflect.TypeFor[[]status](), `{"items":{"type":"string"},"type":"array"}`},
		"an array of bytes": {reflect.TypeFor[[2]byte](), `{"items":{"type":"integer","maximum":255,"minimum":0},"type":"array",` +
			`"maxItems":2,"minItems":2}`},
		"a time": {reflect.TypeFor[time.Time](), `{"type":"string","format":"date-time"}`},
		"a duration": {reflect.TypeFor[time.Duration](), `{"type":"integer","format":"int64","description":"A duration in ` +
			`nanoseconds."}`},
		"an IP address": {reflect.TypeFor[net.IP](), `{"type":"string"}`},
		"a list": {reflect.TypeFor[[][]bool](), `{"items":{"items":{"type":"boolean"},"type":"array"},` +
			`"type":"array"}`},
		"a map":             {reflect.TypeFor[map[string]bool](), `{"additionalProperties":{"type":"boolean"},"type":"object"}`},
		"a map of anything": {reflect.TypeFor[map[string]any](), `{"type":"object"}`},
		"a map of integer keys": {reflect.TypeFor[map[int16]bool](), `{"additionalProperties":{"type":"boolean"},` +
			`"propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$","format":"int16"},"type":"object"}`},
		"a map of unsigned keys": {reflect.TypeFor[map[uint64]bool](), `{"additionalProperties":{"type":"boolean"},` +
			`"propertyNames":{"pattern":"^(0|[1-9][0-9]*)$","format":"uint64"},"type":"object"}`},
		"a map of text keys": {reflect.TypeFor[map[status]bool](), `{"additionalProperties":{"type":"boolean"},"type":"object"}`},
		"a struct": {reflect.TypeFor[leaf](), `{"properties":{"name":{"type":"string"}},` + object +
			`,"required":["name"]}`},
		"an empty struct":        {reflect.TypeFor[struct{}](), `{"properties":{},` + object + `}`},
		"what recurs, in a list": {reflect.TypeFor[[]loop](), `{"items":{"$ref":"#/$defs/loop"},"type":"array"}`},
		"a type with a schema":   {reflect.TypeFor[money](), `{"type":"string","pattern":"^\\d+$"}`},
		"a type with an alias": {reflect.TypeFor[alias](), `{"properties":{"name":{"type":"string"}},` + object +
			`,"required":["name"]}`},
		"a type that adds to its": {reflect.TypeFor[extended](), `{"properties":{"a":{"type":"integer","maximum":127,` +
			`"minimum":-128}},` + object + `,"required":["a"],"title":"Extended"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := reflect.StructOf([]reflect.StructField{{Name: "V", Type: test.of, Tag: `json:"v"`}})
			raw, problems := derive.Derive(root, schema.Input, derive.Options{})
			require.Empty(t, problems)
			raw = bytes.Replace(raw, []byte(loopDefs), []byte("{"), 1)
			assert.Equal(t, `{"properties":{"v":`+test.want+`},`+object+`,"required":["v"]}`, string(raw))
		})
	}
}

func TestDerive_RefersToSharedAndRecursiveTypes(t *testing.T) {
	t.Parallel()
	type leaf struct { // a namesake of the package's leaf
		Other bool `json:"other"`
	}
	type wide struct {
		One   page[leaf] `json:"one"`
		Two   leaf       `json:"two"`
		Three *outerLeaf `json:"three"`
		Four  outerLeaf  `json:"four"`
		Wood  forest     `json:"wood"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[wide](), schema.Input, derive.Options{})
	require.Empty(t, problems)
	var doc struct {
		Defs       map[string]any `json:"$defs"`
		Properties map[string]map[string]any
	}
	require.NoError(t, json.Unmarshal(raw, &doc))
	assert.Equal(t, "#/$defs/page_leaf", doc.Properties["one"]["$ref"])
	assert.Equal(t, "#/$defs/leaf", doc.Properties["two"]["$ref"])
	assert.Equal(t, "#/$defs/derive_test_leaf", doc.Properties["three"]["$ref"])
	assert.Equal(t, "#/$defs/derive_test_leaf", doc.Properties["four"]["$ref"])
	assert.Equal(t, "#/$defs/forest", doc.Properties["wood"]["$ref"])
	assert.Len(t, doc.Defs, 4)
	for range 20 {
		again, _ := derive.Derive(reflect.TypeFor[wide](), schema.Input, derive.Options{})
		require.Equal(t, string(raw), string(again))
	}
}

type outerLeaf = leaf

func TestDerive_WritesTheRootOut(t *testing.T) {
	t.Parallel()
	raw, problems := derive.Derive(reflect.TypeFor[tree](), schema.Input, derive.Options{})
	require.Empty(t, problems)
	assert.Equal(t, `{"properties":{"kids":{"items":{"$ref":"#"},"type":"array"}},"additionalProperties":false,"type":"object"}`,
		string(raw))
	for _, root := range []reflect.Type{reflect.TypeFor[map[string]tree](), reflect.TypeFor[forest](), reflect.TypeFor[alias](),
		reflect.TypeFor[struct{}]()} {
		raw, problems := derive.Derive(root, schema.Input, derive.Options{})
		require.Empty(t, problems, root)
		s, problems := schema.Compile(raw, schema.CompileOptions{})
		require.Empty(t, problems, root)
		assert.Equal(t, string(raw), string(s.JSON()))
	}
}

func TestDerive_RefusesRootsThatAreNoObject(t *testing.T) {
	t.Parallel()
	for _, root := range []reflect.Type{
		nil, reflect.TypeFor[string](), reflect.TypeFor[[]leaf](), reflect.TypeFor[*leaf](), reflect.TypeFor[any](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[map[int]leaf](), reflect.TypeFor[func()](), reflect.TypeFor[json.RawMessage](),
	} {
		raw, problems := derive.Derive(root, schema.Input, derive.Options{})
		require.Len(t, problems, 1, "%v", root)
		assert.Equal(t, schema.RuleRoot, problems[0].Rule, "%v", root)
		assert.NotEmpty(t, problems[0].Remedy)
		assert.Nil(t, raw)
	}
	_, problems := derive.Derive(reflect.TypeFor[map[int]leaf](), schema.Output, derive.Options{})
	assert.Empty(t, problems, "a result may be a map of any key")
}

type panicking struct{}

func (panicking) JSONSchema() *jsonschema.Schema { panic("s3cret") }

type nothing struct{}

func (*nothing) JSONSchema() *jsonschema.Schema { return nil }

type withMethods interface{ Do() }

func TestDerive_RefusesTypesWithoutASchema(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of   reflect.Type
		rule string
		dirs []schema.Direction
	}{
		"a channel":                 {reflect.TypeFor[chan int](), derive.RuleType, both},
		"a function":                {reflect.TypeFor[[]func()](), derive.RuleType, both},
		"a complex number":          {reflect.TypeFor[complex128](), derive.RuleType, both},
		"a map with keys of bool":   {reflect.TypeFor[map[bool]int](), derive.RuleType, both},
		"a map with keys of float":  {reflect.TypeFor[map[float64]int](), derive.RuleType, both},
		"a map with keys of struct": {reflect.TypeFor[map[leaf]int](), derive.RuleType, both},
		"a json.Number":             {reflect.TypeFor[json.Number](), derive.RuleType, both},
		"a URL":                     {reflect.TypeFor[url.URL](), derive.RuleType, both},
		"an interface with methods": {reflect.TypeFor[withMethods](), derive.RuleType, []schema.Direction{schema.Input}},
		"a type with its own JSON":  {reflect.TypeFor[cents](), derive.RuleMarshaler, both},
		"a schema that panics":      {reflect.TypeFor[panicking](), derive.RuleMarshaler, both},
		"a schema that is nil":      {reflect.TypeFor[nothing](), derive.RuleMarshaler, both},
		"an output pointer":         {reflect.TypeFor[*leaf](), derive.RuleOutputPointer, []schema.Direction{schema.Output}},
	} {
		for _, dir := range test.dirs {
			t.Run(name+" "+dir.String(), func(t *testing.T) {
				t.Parallel()
				root := reflect.StructOf([]reflect.StructField{
					{Name: "Before", Type: reflect.TypeFor[int]()},
					{Name: "V", Type: test.of, Tag: `json:"v"`},
				})
				raw, problems := derive.Derive(root, dir, derive.Options{})
				require.Len(t, problems, 1)
				assert.Equal(t, test.rule, problems[0].Rule)
				assert.Contains(t, problems[0].Field, ".V")
				assert.NotEmpty(t, problems[0].Remedy)
				assert.NotContains(t, problems[0].Message, "s3cret")
				assert.Nil(t, raw)
			})
		}
	}
}

var both = []schema.Direction{schema.Input, schema.Output}

func TestDerive_ReportsEveryMistakeOnceInOrder(t *testing.T) {
	t.Parallel()
	type inner struct {
		Bad string `jsonschema:"minimum=1"`
	}
	type input struct {
		A string `jsonschema:"pattern=^(?!x)"`
		B inner
		C []inner
		D chan int
		E string `json:"e,omitempty" jsonschema:"enum=a,default=b"`
		F int    `jsonschema:"minLenght=1,minimum=abc"`
	}
	_, problems := derive.Derive(reflect.TypeFor[input](), schema.Input, derive.Options{})
	var got []string
	for _, problem := range problems {
		got = append(got, problem.Rule+" "+problem.Field)
	}
	assert.Equal(t, []string{
		"schema.pattern input.A", "schema.type input.D", "schema.default input.E",
		"schema.tag.unknown input.F", "schema.tag.value input.F", "schema.tag.applies inner.Bad",
	}, got)
}

func TestDerive_PublishesOnlyKeptFields(t *testing.T) {
	t.Parallel()
	type inner struct {
		Shown  string `json:"shown" expose:""`
		Hidden chan int
	}
	type output struct {
		inner
		List   []inner `json:"list" expose:""`
		Hidden func()
	}
	keep := func(f reflect.StructField) bool { _, ok := f.Tag.Lookup("expose"); return ok }
	raw, problems := derive.Derive(reflect.TypeFor[output](), schema.Output, derive.Options{Keep: keep})
	require.Empty(t, problems)
	assert.Equal(t, `{"properties":{"shown":{"type":"string"},"list":{"items":{"properties":{"shown":{"type":"string"}},`+
		`"additionalProperties":false,"type":"object","required":["shown"]},"type":"array"}},"additionalProperties":false,`+
		`"type":"object","required":["shown","list"]}`, string(raw))
}
