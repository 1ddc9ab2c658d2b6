package derive_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

type base struct {
	ID   string `json:"id"`
	Name int
}

type tagged struct {
	Label string `json:"Name"`
}

type deep struct{ base }

type word string //nolint:unused // embedded, and so not a member

func TestDerive_HasTheMembersOfEncodingJSON(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]reflect.Type{
		"promotion": reflect.TypeFor[struct{ base }](),
		"shadowing by the outer field": reflect.TypeFor[struct {
			base
			Name bool
		}](),
		"a tag that wins over a name": reflect.TypeFor[struct {
			base
			tagged
		}](),
		"an embedded struct with a name": reflect.TypeFor[struct {
			base `json:"base"`
			Name bool
		}](),
		"two levels": reflect.TypeFor[struct {
			deep
			ID bool `json:"id"`
		}](),
		"blank, unexported and ignored fields": reflect.TypeFor[struct {
			_       struct{}
			private int
			Ignored chan int `json:"-"`
			Dash    int      `json:"-,"`
			Kept    int
		}](),
		"names with marks": reflect.TypeFor[struct {
			A int `json:"a.b/c"`
			B int `json:"$ref"`
			C int `json:"名前"`
		}](),
		"an embedded type that is no struct": reflect.TypeFor[struct {
			Word
			X int
		}](),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(of, schema.Output, derive.Options{})
			require.Empty(t, problems)
			var doc struct {
				Properties map[string]struct{ Type string }
				Required   []string
			}
			require.NoError(t, json.Unmarshal(raw, &doc))
			data, err := json.Marshal(reflect.Zero(of).Interface())
			require.NoError(t, err)
			var want map[string]any
			require.NoError(t, json.Unmarshal(data, &want))
			assert.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(doc.Properties)))
			for member, value := range want {
				assert.Equal(t, map[string]string{"string": "string", "float64": "integer", "bool": "boolean",
					"map[string]interface {}": "object"}[reflect.TypeOf(value).String()], doc.Properties[member].Type, member)
			}
			assert.ElementsMatch(t, slices.Collect(maps.Keys(want)), doc.Required)
		})
	}
}

// Word is exported so that encoding/json writes it.
type Word = ExportedWord

// ExportedWord is text.
type ExportedWord string

func TestDerive_RequiresFieldsThatAreNotOmitted(t *testing.T) {
	t.Parallel()
	type input struct {
		A int  `json:"a"`
		B int  `json:"b,omitempty"`
		C int  `json:"c,omitzero"`
		D *int `json:"d"`
		E int  `json:"e,omitempty" jsonschema:"required"`
		*Embedded
	}
	for dir, want := range map[schema.Direction]string{schema.Input: `["a","d","e","F"]`} {
		raw, problems := derive.Derive(reflect.TypeFor[input](), dir, derive.Options{})
		require.Empty(t, problems)
		assert.Contains(t, string(raw), `"required":`+want)
	}
	type output struct {
		A int `json:"a"`
		*Embedded
	}
	raw, problems := derive.Derive(reflect.TypeFor[output](), schema.Output, derive.Options{})
	require.Empty(t, problems)
	assert.Contains(t, string(raw), `"required":["a"]`, "the embedded pointer may be nil")
}

// Embedded is exported so that it can be filled.
type Embedded struct{ F int }

func TestDerive_RefusesFieldsThatWouldBeLost(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]reflect.Type{
		"inline": reflect.TypeFor[struct {
			A leaf `json:",inline"`
		}](),
		"embed": reflect.TypeFor[struct {
			A leaf `json:"a,embed"`
		}](),
		"an option that does not exist": reflect.TypeFor[struct {
			A int `json:"a,omitemtpy"`
		}](),
		"an option of a newer encoding/json": reflect.TypeFor[struct {
			A time.Time `json:"a,format:unix"`
		}](),
		"the option string on a float": reflect.TypeFor[struct {
			A float64 `json:"a,string"`
		}](),
		"the option string on text": reflect.TypeFor[struct {
			A string `json:"a,string"`
		}](),
		"a name with a quote": reflect.TypeFor[struct {
			A string `json:"it's"`
		}](),
		"two fields of one name": reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
			{Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`},
		}),
		"two embedded fields of one name": reflect.TypeFor[struct {
			base
			other
		}](),
		"an embedded type with its own JSON": reflect.TypeFor[struct {
			A int
			time.Time
		}](),
		"an embedded pointer that cannot be filled": reflect.TypeFor[struct{ *base }](),
		"a name for an unexported field":            unexported(`json:"id"`),
		"a keyword for an unexported field":         unexported(`jsonschema:"minLength=1"`),
		"a text for an unexported field":            unexported(`jsonschema_description:"The id."`),
		"an embedded struct with such a field": reflect.StructOf([]reflect.StructField{
			{Name: "Embedded", Type: unexported(`json:"id"`), Anonymous: true},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(of, schema.Input, derive.Options{})
			assert.Nil(t, raw)
			require.NotEmpty(t, problems)
			rules := map[string]bool{}
			for _, problem := range problems {
				rules[problem.Rule] = true
			}
			assert.True(t, rules[derive.RuleField] || rules[schema.RuleRoot], "%v", problems)
		})
	}
}

type other struct{ Name int }

// unexported returns a struct whose second field is unexported and tagged. It
// isn't written as a type, because go vet refuses such a tag.
func unexported(tag reflect.StructTag) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "A", Type: reflect.TypeFor[int]()},
		{Name: "id", PkgPath: "example.org/notes", Type: reflect.TypeFor[string](), Tag: tag},
	})
}

func TestDerive_IgnoresUnexportedFieldsWithoutATagOfTheirJSON(t *testing.T) {
	t.Parallel()
	for _, tag := range []reflect.StructTag{``, `json:"-"`, `db:"id"`} {
		_, problems := derive.Derive(unexported(tag), schema.Input, derive.Options{})
		assert.Empty(t, problems, tag)
	}
}

func TestDerive_SupportsTheStringOption(t *testing.T) {
	t.Parallel()
	type input struct {
		N int64  `json:"n,string"`
		U *uint8 `json:"u,string,omitempty"`
		B bool   `json:"b,string"`
	}
	raw, problems := derive.Derive(reflect.TypeFor[input](), schema.Input, derive.Options{})
	require.Empty(t, problems)
	s, problems := schema.Compile(raw, schema.CompileOptions{})
	require.Empty(t, problems)
	for text, want := range map[string][]string{
		`{"n":"-5","u":"255","b":"true"}`:        nil,
		`{"n":"9223372036854775808","b":"true"}`: {"schema.format /n"},
		`{"n":"01","b":"yes"}`:                   {"schema.enum /b", "schema.format /n"},
		`{"n":5,"u":"256","b":true}`:             {"schema.type /b", "schema.type /n", "schema.format /u"},
	} {
		tree, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		require.NoError(t, err)
		var got []string
		for _, v := range s.Validate(tree) {
			got = append(got, v.Rule+" "+v.Pointer)
		}
		assert.Equal(t, want, got, text)
	}
}
