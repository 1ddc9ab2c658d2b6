package derive_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/scanner"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

var update = flag.Bool("update", false, "write testdata/corpus.txt again")

// The types of the corpus. Their schemas are part of contract digests, so not
// even a byte of them may change by accident.
type (
	corpusText   uint8
	corpusReader struct{ A int }
	corpusWriter struct{ A int }
	corpusMoney  struct{ cents int64 }
	corpusGiven  struct{ A int }
	corpusNil    struct{ A int }
	corpusPanic  struct{ A int }
	corpusAlias  struct{ secret int }
	corpusExtend struct {
		A int8 `json:"a"`
	}
	corpusProperty struct {
		A int    `json:"a"`
		B string `json:"b,omitempty"`
	}
	corpusEnum int32
	corpusLeaf struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty" jsonschema:"default=1,minimum=1"`
	}
	corpusTree struct {
		Kids []corpusTree `json:"kids,omitempty"`
	}
	corpusForest      map[string]corpusForest
	corpusNest        []corpusNest
	corpusList        []string
	corpusDict        map[string]corpusLeaf
	corpusBytes       []byte
	corpusPage[T any] struct {
		Items []T            `json:"items"`
		Next  *corpusPage[T] `json:"next,omitempty"`
	}
	corpusPair[K comparable, V any] struct {
		Key   K `json:"key"`
		Value V `json:"value,omitempty"`
	}
	corpusLoop struct {
		Lists [][]corpusLoop        `json:"lists,omitempty"`
		Map   map[string]corpusLoop `json:"map,omitempty"`
		Other *corpusOther          `json:"other,omitempty"`
	}
	corpusOther struct {
		Back *corpusLoop `json:"back,omitempty"`
	}
	corpusBase struct {
		ID   string `json:"id"`
		Name int
	}
	corpusTagged struct {
		Label string `json:"Name"`
	}
	corpusDeep struct{ corpusBase }
	// CorpusEmbedded is exported so that an embedded pointer can be filled.
	CorpusEmbedded struct {
		F int `json:"f"`
		G int `json:"g,omitempty"`
	}
	corpusSelf struct {
		*CorpusSelf
		Name string
	}
	// CorpusSelf embeds itself.
	CorpusSelf struct {
		*CorpusSelf
		Depth int
	}
	corpusMethods interface{ Do() }
)

func (corpusText) MarshalText() ([]byte, error)    { return nil, nil }
func (*corpusText) UnmarshalText([]byte) error     { return nil }
func (*corpusReader) UnmarshalJSON([]byte) error   { return nil }
func (corpusWriter) MarshalJSON() ([]byte, error)  { return []byte("{}"), nil }
func (corpusMoney) MarshalJSON() ([]byte, error)   { return []byte("{}"), nil }
func (*corpusMoney) UnmarshalJSON([]byte) error    { return nil }
func (*corpusNil) JSONSchema() *jsonschema.Schema  { return nil }
func (corpusPanic) JSONSchema() *jsonschema.Schema { panic("s3cret") }
func (corpusAlias) JSONSchemaAlias() any           { return corpusLeaf{} }
func (*corpusExtend) JSONSchemaExtend(s *jsonschema.Schema) {
	s.Title, s.Comments = "Extended", "by its type"
}
func (corpusProperty) JSONSchemaProperty(name string) any {
	if name == "a" {
		return corpusLeaf{}
	}
	return nil
}
func (corpusEnum) EnumDescriptor() ([]byte, []int) { return nil, nil }
func (corpusEnum) GetFieldDocString(string) string { return "read by the reflector alone" }
func (corpusLoop) GetFieldDocString(string) string { return "read by the reflector alone" }
func (*corpusMoney) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^\d+ EUR$`, Default: "0 EUR"}
}

func (corpusGiven) JSONSchema() *jsonschema.Schema {
	properties := jsonschema.NewProperties()
	properties.Set("z", &jsonschema.Schema{Type: "integer"})
	properties.Set("a", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "null"}}})
	return &jsonschema.Schema{
		Type: "object", Properties: properties, Required: []string{"z"}, Extras: map[string]any{"x-own": true},
	}
}

// A corpusCase is a type to derive in both directions.
type corpusCase struct {
	name string
	of   reflect.Type
	opts derive.Options
}

// corpus returns the cases in the order they are recorded.
func corpus() []corpusCase {
	return slices.Concat(corpusKinds(), corpusRoots(), corpusStructs(), corpusTags())
}

// corpusKinds has each kind of type as an object member: required, omitted when
// empty, tagged, in a list, in a map, behind a pointer and twice.
func corpusKinds() []corpusCase {
	var cases []corpusCase
	for _, kind := range []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[bool](),
		reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
		reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](),
		reflect.TypeFor[any](), reflect.TypeFor[corpusMethods](), reflect.TypeFor[error](), reflect.TypeFor[chan int](),
		reflect.TypeFor[func()](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[jsontext.Value](), reflect.TypeFor[json.Number](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[time.Month](),
		reflect.TypeFor[net.IP](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[url.URL](), reflect.TypeFor[big.Int](),
		reflect.TypeFor[big.Float](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[4]byte](), reflect.TypeFor[corpusBytes](), reflect.TypeFor[corpusText](),
		reflect.TypeFor[[]corpusText](),
		reflect.TypeFor[corpusEnum](), reflect.TypeFor[corpusReader](), reflect.TypeFor[corpusWriter](), reflect.TypeFor[corpusMoney](),
		reflect.TypeFor[corpusGiven](), reflect.TypeFor[corpusNil](), reflect.TypeFor[corpusPanic](), reflect.TypeFor[corpusAlias](),
		reflect.TypeFor[corpusExtend](), reflect.TypeFor[corpusProperty](), reflect.TypeFor[corpusLeaf](),
		reflect.TypeFor[corpusTree](),
		reflect.TypeFor[corpusForest](), reflect.TypeFor[corpusNest](), reflect.TypeFor[corpusList](), reflect.TypeFor[corpusDict](),
		reflect.TypeFor[corpusLoop](),
		reflect.TypeFor[corpusPage[string]](), reflect.TypeFor[corpusPage[corpusLeaf]](),
		reflect.TypeFor[corpusPair[string, []corpusLeaf]](),
		reflect.TypeFor[corpusPair[int, map[string]corpusPage[time.Time]]](),
		reflect.TypeFor[[][]bool](), reflect.TypeFor[[3][2]float64](), reflect.TypeFor[map[string]any](),
		reflect.TypeFor[map[int16]string](),
		reflect.TypeFor[map[uint64]bool](), reflect.TypeFor[map[corpusText]int](), reflect.TypeFor[map[bool]int](),
		reflect.TypeFor[map[corpusLeaf]int](),
		reflect.TypeFor[map[time.Month]map[string]corpusLeaf](), reflect.TypeFor[struct{}](), reflect.TypeFor[struct{ A, B string }](),
		reflect.TypeFor[***int](),
		reflect.TypeFor[token.Position](), reflect.TypeFor[big.Accuracy](),
	} {
		field := func(name string, of reflect.Type, tag string) reflect.StructField {
			return reflect.StructField{Name: name, Type: of, Tag: reflect.StructTag(tag)}
		}
		one := func(of reflect.Type, tag string) reflect.Type {
			return reflect.StructOf([]reflect.StructField{field("V", of, tag)})
		}
		cases = append(cases,
			corpusCase{name: kind.String(), of: one(kind, `json:"v"`)},
			corpusCase{name: kind.String() + " twice", of: reflect.StructOf([]reflect.StructField{
				field("V", kind, `json:"v,omitempty" jsonschema:"title=T,description=D\\, and more,readOnly=true" jsonschema_extras:"x-a=1"`),
				field("W", reflect.PointerTo(kind), `json:"w,omitzero" jsonschema_description:"W, too" contract:"sensitive"`),
			})},
			corpusCase{name: "quoted " + kind.String(), of: one(kind, `json:"v,omitempty,string"`)},
		)
		if kind.Kind() != reflect.Func && kind.Kind() != reflect.Chan {
			cases = append(cases,
				corpusCase{name: "[]" + kind.String(), of: one(reflect.SliceOf(kind), `json:"v" jsonschema:"minItems=1,title=L"`)},
				corpusCase{name: "map[string]*" + kind.String(), of: one(reflect.MapOf(reflect.TypeFor[string](), reflect.PointerTo(kind)),
					`json:"v"`)},
			)
		}
	}
	return cases
}

// corpusRoots returns cases for types that are a whole input or result.
func corpusRoots() []corpusCase {
	var cases []corpusCase
	for _, root := range []reflect.Type{
		nil, reflect.TypeFor[string](), reflect.TypeFor[[]corpusLeaf](), reflect.TypeFor[*corpusLeaf](), reflect.TypeFor[any](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[map[int]corpusLeaf](), reflect.TypeFor[map[string]corpusLeaf](),
		reflect.TypeFor[map[string]any](),
		reflect.TypeFor[json.RawMessage](), reflect.TypeFor[struct{}](), reflect.TypeFor[corpusTree](), reflect.TypeFor[corpusForest](),
		reflect.TypeFor[corpusNest](), reflect.TypeFor[corpusAlias](), reflect.TypeFor[corpusExtend](),
		reflect.TypeFor[corpusProperty](),
		reflect.TypeFor[corpusGiven](), reflect.TypeFor[corpusMoney](), reflect.TypeFor[corpusNil](), reflect.TypeFor[corpusPanic](),
		reflect.TypeFor[corpusReader](), reflect.TypeFor[corpusWriter](), reflect.TypeFor[corpusLoop](), reflect.TypeFor[corpusOther](),
		reflect.TypeFor[corpusPage[corpusLeaf]](), reflect.TypeFor[corpusPage[corpusPage[int]]](),
		reflect.TypeFor[corpusPair[string, corpusPair[string, int]]](),
		reflect.TypeFor[corpusSelf](), reflect.TypeFor[CorpusSelf](), reflect.TypeFor[url.URL](), reflect.TypeFor[corpusText](),
	} {
		name := "nil"
		if root != nil {
			name = root.String()
		}
		cases = append(cases, corpusCase{name: "root " + name, of: root})
	}
	return cases
}

// corpusStructs returns cases for struct fields.
func corpusStructs() []corpusCase {
	type corpusLeaf struct { // has the same name as a type of the package
		Other bool `json:"other"`
	}
	type Position struct { // and as two of the standard library
		Here bool `json:"here"`
	}
	type hidden struct {
		Shown  string `json:"shown" expose:""`
		Hidden chan int
	}
	keep := derive.Options{Keep: func(f reflect.StructField) bool { _, ok := f.Tag.Lookup("expose"); return ok }}
	protect := derive.Options{Protect: func(f reflect.StructField) []string {
		if f.Tag.Get("contract") == "" {
			return nil
		}
		return strings.Split(f.Tag.Get("contract"), ",")
	}}
	conflict := reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`}, {Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
	})
	cases := []corpusCase{
		{name: "namesakes", of: reflect.TypeFor[struct {
			A outerCorpusLeaf
			B corpusLeaf
			C outerCorpusLeaf
			D *corpusLeaf
			E corpusPage[corpusLeaf]
			F corpusPage[outerCorpusLeaf]
		}]()},
		{name: "namesakes of packages", of: reflect.TypeFor[struct {
			A, B token.Position
			C, D scanner.Position
			E, F Position
		}]()},
		{name: "kept fields", opts: keep, of: reflect.TypeFor[struct {
			hidden
			List   []hidden `json:"list" expose:""`
			Again  hidden   `json:"again" expose:""`
			Hidden func()
		}]()},
		{name: "protected fields", opts: protect, of: reflect.TypeFor[struct {
			A string            `json:"a" contract:"x-secret"`
			B outerCorpusLeaf   `json:"b" contract:"x-sensitive,x-review"`
			C outerCorpusLeaf   `json:"c"`
			D []outerCorpusLeaf `json:"d" contract:"x-review" jsonschema_extras:"x-b=2,x-a=1"`
		}]()},
		{name: "promotion", of: reflect.TypeFor[struct{ corpusBase }]()},
		{name: "promotion in order", of: reflect.TypeFor[struct {
			First int
			corpusBase
			Last int
		}]()},
		{name: "shadowing by the outer field", of: reflect.TypeFor[struct {
			corpusBase
			Name bool
		}]()},
		{name: "shadowing from before", of: reflect.TypeFor[struct {
			Name bool
			corpusBase
		}]()},
		{name: "a tag that wins over a name", of: reflect.TypeFor[struct {
			corpusBase
			corpusTagged
		}]()},
		{name: "an embedded struct with a name", of: reflect.TypeFor[struct {
			corpusBase `json:"base"`
			Name       bool
		}]()},
		{name: "two levels", of: reflect.TypeFor[struct {
			corpusDeep
			ID bool `json:"id"`
		}]()},
		{name: "an embedded pointer", of: reflect.TypeFor[struct {
			A int
			*CorpusEmbedded
		}]()},
		{name: "blank, unexported and ignored fields", of: reflect.TypeFor[struct {
			_       string `jsonschema:"nonsense"`
			private chan int
			Ignored chan int `json:"-"`
			Dash    int      `json:"-,"`
			Kept    int
			Über    int
		}]()},
		{name: "names with marks", of: reflect.TypeFor[struct {
			A int `json:"a.b/c"`
			B int `json:"d e"`
			C int `json:"~"`
			D int `json:"$ref"`
			E int `json:"ä<&>"`
		}]()},
		{name: "output pointers", of: reflect.TypeFor[struct {
			A *int             `json:"a"`
			B *int             `json:"b,omitempty"`
			C *outerCorpusLeaf `json:"c"`
			D []*int           `json:"d"`
		}]()},
		{name: "required and optional", of: reflect.TypeFor[struct {
			A int    `json:"a"`
			B int    `json:"b,omitempty"`
			C int    `json:"c,omitzero"`
			D int    `json:"d,omitempty" jsonschema:"required"`
			E string `json:"e,omitempty" jsonschema:"required,default=x"`
		}]()},
		{name: "every mistake, in order", of: reflect.TypeFor[struct {
			A string `jsonschema:"pattern=^(?!x)"`
			B struct {
				Bad string `jsonschema:"minimum=1"`
			}
			C []corpusMistakes
			D chan int
			E string `json:"e,omitempty" jsonschema:"enum=a,default=b"`
			F int    `jsonschema:"minLenght=1,minimum=abc"`
			G map[string]corpusMistakes
		}]()},
		{name: "inline", of: reflect.TypeFor[struct {
			A outerCorpusLeaf `json:",inline"`
		}]()},
		{name: "embed", of: reflect.TypeFor[struct {
			A outerCorpusLeaf `json:"a,embed"`
		}]()},
		{name: "options that do not exist", of: reflect.TypeFor[struct {
			A int       `json:"a,omitemtpy"`
			B time.Time `json:"b,format:unix"`
		}]()},
		{name: "a name with a quote", of: reflect.TypeFor[struct {
			A string `json:"it's"`
		}]()},
		{name: "two fields of one name", of: conflict},
		{name: "two embedded fields of one name", of: reflect.TypeFor[struct {
			corpusBase
			CorpusNamed
		}]()},
		{name: "an embedded type with its own JSON", of: reflect.TypeFor[struct {
			A int
			time.Time
		}]()},
		{name: "an embedded pointer to an unexported struct", of: reflect.TypeFor[struct{ *corpusBase }]()},
		{name: "tags on an embedded struct", of: reflect.TypeFor[struct {
			corpusBase `jsonschema:"title=x" jsonschema_description:"y" jsonschema_extras:"x-a=1"`
		}]()},
		{name: "the option string", of: reflect.TypeFor[struct {
			A int64  `json:"a,string" jsonschema:"description=D"`
			B *uint8 `json:"b,string,omitempty"`
			C bool   `json:"c,string" jsonschema:"default=true"`
			D int    `json:"d,string,omitempty" jsonschema:"default=1"`
		}]()},
		{name: "an alias of a member, recursive", of: reflect.TypeFor[struct {
			A corpusProperty
			B corpusProperty
		}]()},
	}
	return cases
}

// corpusMistakes is reported once, even if it is used several times.
type corpusMistakes struct {
	X string `jsonschema:"minimum=1"`
	Y func()
}

// CorpusNamed has the field of another.
type CorpusNamed struct{ Name int }

type outerCorpusLeaf = corpusLeaf

// corpusTags has each tag on each kind of type that treats tags differently.
func corpusTags() []corpusCase {
	tags := []string{
		"title=T", "description=D", `description=a\,b`, "description=a=b", "required", "required=true", "readOnly=true",
		"readOnly=false",
		"readOnly=yes", "readOnly", "writeOnly=true", "default=a", "default=1", "default=1.0", "default=-0", "default=1.50e1",
		"default=true", "default=",
		"default=1,default=2", "default=a,default=b", "default={}", "default=null", "default=99999999999999999999",
		"example=a", "example=1,example=2.5", "example=true", "enum=a,enum=b", "enum=1,enum=2", "enum=1,enum=1.0", "enum=true",
		"enum=1.5,enum=x",
		"minLength=1,maxLength=3", "minLength=-1", "minLength=1.5", "minLength=3,maxLength=1", "pattern=^a$", `pattern=^[a-z]{1\,3}$`,
		"pattern=^[a-z]{1,3}$", "pattern=^(?!x)",
		"pattern=a=b", "format=email", "format=uuid", "format=emial", "format=int32", "minimum=1", "minimum=1.0", "minimum=-1",
		"minimum=1e2", "minimum=300", "minimum=abc", "minimum=",
		"maximum=5,default=6", "maximum=9007199254740993", "maximum=0.5", "exclusiveMinimum=0,exclusiveMaximum=1e3", "multipleOf=2",
		"multipleOf=0", "multipleOf=-1", "multipleOf=0.01",
		"minItems=1,maxItems=2,uniqueItems=true", "uniqueItems=false", "uniqueItems=1", "minItems=x", "minItems=2,default=a",
		"maxLength=1,default=ab",
		"", "minimum=1,,maximum=2", "minLenght=3", "requierd", " minLength=3", "minLength=1,minLength=2", "title=a,title=b", "nullable",
		"-", "type=integer", "anchor=a",
		"oneof_required=a", "anyof_required=a", "oneof_ref=a;b", "anyof_ref=a;b", "oneof_type=string;null", "anyof_type=string;null",
		"description=Hello, world", "title=<b>&</b>",
		"enum=,enum=a", "minLength=2,example=a", "maxLength=1,enum=a,enum=ab", "x-own=1",
	}
	whole := []string{
		`jsonschema_description:"A, b, c"`, `jsonschema_description:""`, `jsonschema:"description=a" jsonschema_description:"b"`,
		`jsonschema_extras:"x-a=1,x-b=true,x-c=y,x-c=z,x-c=true"`, `jsonschema_extras:"minimum=3"`, `jsonschema_extras:"x-secret=true"`,
		`jsonschema_extras:"x-a"`,
		`jsonschema_extras:""`, `jsonschema_extras:"x-=1"`, `jsonschema_extras:"x-b=2\\,3,x-a=false"`,
	}
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](),
		reflect.TypeFor[bool](),
		reflect.TypeFor[[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[[][]string](), reflect.TypeFor[[2]bool](),
		reflect.TypeFor[corpusList](), reflect.TypeFor[corpusLeaf](),
		reflect.TypeFor[any](), reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
		reflect.TypeFor[corpusText](),
		reflect.TypeFor[corpusMoney](), reflect.TypeFor[[]corpusTree](), reflect.TypeFor[corpusNest](),
		reflect.TypeFor[map[string]int](),
	}
	var cases []corpusCase
	for _, of := range types {
		all := slices.Clone(whole)
		for _, tag := range tags {
			all = append(all, "jsonschema:"+strconv.Quote(tag))
		}
		for _, tag := range all {
			cases = append(cases, corpusCase{
				name: of.String() + " " + tag,
				of:   reflect.StructOf([]reflect.StructField{{Name: "V", Type: of, Tag: reflect.StructTag(`json:"v,omitempty" ` + tag)}}),
			})
		}
	}
	return cases
}

// recorded returns the schema of a case, shortened if its only member is an
// optional "v", or the rules of its problems after a dash.
func (c corpusCase) recorded(dir schema.Direction) string {
	raw, problems := derive.Derive(c.of, dir, c.opts)
	if len(problems) == 0 {
		member, isOne := strings.CutPrefix(string(raw), `{"properties":{"v":`)
		if member, ok := strings.CutSuffix(member, `},"additionalProperties":false,"type":"object"}`); isOne && ok {
			return "v: " + member
		}
		return string(raw)
	}
	list := make([]string, 0, len(problems))
	for _, p := range problems {
		list = append(list, p.Rule+" "+p.Field)
	}
	return "- " + strings.ReplaceAll(strings.Join(list, ", "), " input.V", "")
}

func TestDerive_WritesTheRecordedBytes(t *testing.T) {
	t.Parallel()
	var now bytes.Buffer
	for _, c := range corpus() {
		in, out := c.recorded(schema.Input), c.recorded(schema.Output)
		if in == out {
			fmt.Fprintf(&now, "%s\n\t%s\n", c.name, in)
			continue
		}
		fmt.Fprintf(&now, "%s\n\tin  %s\n\tout %s\n", c.name, in, out)
	}
	file := filepath.Join("testdata", "corpus.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, now.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	recorded, derived := strings.Split(string(want), "\n"), strings.Split(now.String(), "\n")
	require.Len(t, derived, len(recorded), "the corpus has other cases; run the test with -update")
	for i, line := range derived {
		assert.Equal(t, recorded[i], line, "line %d", i+1)
	}
}
