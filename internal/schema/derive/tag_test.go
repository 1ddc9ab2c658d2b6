package derive_test

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
)

// oneField returns a struct type with one optional, tagged field.
func oneField(of reflect.Type, tag string) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "V", Type: of, Tag: reflect.StructTag(`json:"v,omitempty" ` + tag)}})
}

func jsonschemaTag(value string) string { return `jsonschema:` + strconv.Quote(value) }

func TestDerive_AppliesTags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, want string
	}{
		"text": {
			reflect.TypeFor[string](),
			jsonschemaTag(`title=T,description=D,minLength=1,maxLength=9,pattern=^[a-z\,]{1\,9}$,enum=a,enum=b\,c,default=a,example=a,readOnly=true`),
			`{"type":"string","enum":["a","b,c"],"maxLength":9,"minLength":1,"pattern":"^[a-z,]{1,9}$","title":"T","description":"D",` +
				`"default":"a","readOnly":true,"examples":["a"]}`,
		},
		"a pattern with an equals sign": {reflect.TypeFor[string](), jsonschemaTag(`pattern=^a=b$`),
			`{"type":"string","pattern":"^a=b$"}`},
		"a pattern with < and &": {reflect.TypeFor[string](), jsonschemaTag(`pattern=^(?P<x>&)$`),
			`{"type":"string","pattern":"^(?P<x>&)$"}`},
		"a number": {reflect.TypeFor[float64](),
			jsonschemaTag(`minimum=0.5,exclusiveMaximum=1e2,multipleOf=0.5,default=1.5`), `{"type":"number","multipleOf":0.5,` +
				`"exclusiveMaximum":100,"minimum":0.5,"default":1.5}`},
		"an integer": {reflect.TypeFor[uint8](), jsonschemaTag(`minimum=1,maximum=10,enum=2,enum=4,example=2,default=4`),
			`{"type":"integer","enum":[2,4],"maximum":10,"minimum":1,"default":4,"examples":[2]}`},
		"a large integer, exactly": {reflect.TypeFor[int64](), jsonschemaTag(`maximum=9007199254740993`),
			`{"type":"integer","maximum":9007199254740993,"format":"int64"}`},
		"a boolean": {reflect.TypeFor[bool](), jsonschemaTag(`default=false,example=true`),
			`{"type":"boolean","default":false,"examples":[true]}`},
		"a list and its items": {reflect.TypeFor[[]string](),
			jsonschemaTag(`minItems=1,maxItems=3,uniqueItems=true,minLength=2,enum=aa,enum=bb,default=aa,default=bb`),
			`{"items":{"type":"string","enum":["aa","bb"],"minLength":2},"type":"array","maxItems":3,"minItems":1,"uniqueItems":true,` +
				`"default":["aa","bb"]}`},
		"a list of integers": {reflect.TypeFor[[]int8](), jsonschemaTag(`minimum=1,default=1,default=2`),
			`{"items":{"type":"integer","maximum":127,"minimum":1},"type":"array","default":[1,2]}`},
		"uniqueItems=false": {reflect.TypeFor[[]string](), jsonschemaTag(`uniqueItems=false`),
			`{"items":{"type":"string"},"type":"array"}`},
		"a description with commas": {reflect.TypeFor[any](), `jsonschema_description:"A, b, c"`, `{"description":"A, b, c"}`},
		"extras": {reflect.TypeFor[string](), `jsonschema_extras:"x-a=1,x-b=true,x-c=y,x-c=z"`,
			`{"type":"string","x-a":"1","x-b":true,"x-c":["y","z"]}`},
		"a title on a reference": {reflect.TypeFor[leaf](), jsonschemaTag(`title=T`), `{"properties":{"name":{"type":"string"}},` +
			`"additionalProperties":false,"type":"object","required":["name"],"title":"T"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(oneField(test.of, test.tag), schema.Input, derive.Options{})
			require.Empty(t, problems)
			assert.Equal(t, `{"properties":{"v":`+test.want+`},"additionalProperties":false,"type":"object"}`, string(raw))
		})
	}
}

func TestThreat110_TagMistakesAreBuildErrors(t *testing.T) {
	t.Parallel()
	text, integer, list := reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[[]string]()
	for name, test := range map[string]struct {
		of        reflect.Type
		tag, rule string
	}{
		"a misspelt keyword":                     {text, jsonschemaTag("minLenght=3"), derive.RuleTagUnknown},
		"a keyword in other case":                {text, jsonschemaTag("minlength=3"), derive.RuleTagUnknown},
		"a misspelt keyword after a pattern":     {text, jsonschemaTag("pattern=^a$,minLenght=3"), derive.RuleTagUnknown},
		"a misspelt flag":                        {text, jsonschemaTag("requierd"), derive.RuleTagUnknown},
		"a space before a keyword":               {text, jsonschemaTag(" minLength=3"), derive.RuleTagUnknown},
		"a bound that is no number":              {integer, jsonschemaTag("minimum=abc"), derive.RuleTagValue},
		"a bound without a value":                {integer, jsonschemaTag("minimum"), derive.RuleTagValue},
		"a bound with an empty value":            {integer, jsonschemaTag("minimum="), derive.RuleTagValue},
		"a bound beyond the Go type":             {integer, jsonschemaTag("maximum=300"), derive.RuleTagValue},
		"a negative bound of an unsigned type":   {reflect.TypeFor[uint64](), jsonschemaTag("minimum=-1"), derive.RuleTagValue},
		"a bound that a double cannot hold":      {reflect.TypeFor[float64](), jsonschemaTag("maximum=1e999"), derive.RuleTagValue},
		"a multiple of nothing":                  {integer, jsonschemaTag("multipleOf=0"), derive.RuleTagValue},
		"a multiple of less than nothing":        {integer, jsonschemaTag("multipleOf=-1"), schema.RuleCompile},
		"a length that is no count":              {text, jsonschemaTag("minLength=-1"), derive.RuleTagValue},
		"a length that is a fraction":            {text, jsonschemaTag("maxLength=1.5"), derive.RuleTagValue},
		"a flag with a value":                    {text, jsonschemaTag("required=true"), derive.RuleTagValue},
		"uniqueItems that is no boolean":         {list, jsonschemaTag("uniqueItems=yes"), derive.RuleTagValue},
		"an empty tag":                           {text, jsonschemaTag(""), derive.RuleTagValue},
		"a comma too many":                       {integer, jsonschemaTag("minimum=1,,maximum=2"), derive.RuleTagComma},
		"a number's keyword on text":             {text, jsonschemaTag("minimum=3"), derive.RuleTagApplies},
		"a text's keyword on a number":           {integer, jsonschemaTag("minLength=3"), derive.RuleTagApplies},
		"a list's keyword on text":               {text, jsonschemaTag("minItems=1"), derive.RuleTagApplies},
		"a number's keyword on a list of text":   {list, jsonschemaTag("minimum=1"), derive.RuleTagApplies},
		"an item's keyword on a list of lists":   {reflect.TypeFor[[][]string](), jsonschemaTag("minLength=1"), derive.RuleTagApplies},
		"an item's keyword on a list of structs": {reflect.TypeFor[[]leaf](), jsonschemaTag("minLength=1"), derive.RuleTagApplies},
		"a default on a struct":                  {reflect.TypeFor[leaf](), jsonschemaTag("default={}"), derive.RuleTagApplies},
		"an enum of booleans":                    {reflect.TypeFor[bool](), jsonschemaTag("enum=true"), derive.RuleTagApplies},
		"a format on a time":                     {reflect.TypeFor[status](), jsonschemaTag("minimum=1"), derive.RuleTagApplies},
		"a length on an array":                   {reflect.TypeFor[[2]int](), jsonschemaTag("minItems=1"), derive.RuleTagApplies},
		"an unescaped comma in a pattern":        {text, jsonschemaTag("pattern=^[a-z]{1,3}$"), derive.RuleTagComma},
		"an unescaped comma in a description":    {text, jsonschemaTag("description=Hello, world"), derive.RuleTagComma},
		"a keyword twice":                        {text, jsonschemaTag("minLength=1,minLength=2"), derive.RuleTagDuplicate},
		"a default twice":                        {text, jsonschemaTag("default=a,default=b"), derive.RuleTagDuplicate},
		"a description twice": {text, jsonschemaTag("description=a") + ` jsonschema_description:"b"`,
			derive.RuleTagDuplicate},
		"a default outside its enum":           {text, jsonschemaTag("enum=a,enum=b,default=c"), schema.RuleDefault},
		"a default beyond its bound":           {integer, jsonschemaTag("maximum=5,default=6"), schema.RuleDefault},
		"a default of too few items":           {list, jsonschemaTag("minItems=2,default=a"), schema.RuleDefault},
		"an item of a default that is refused": {list, jsonschemaTag("maxLength=1,default=ab"), schema.RuleDefault},
		"a default on a required field":        {text, jsonschemaTag("required,default=a"), schema.RuleDefault},
		"a default of another type":            {integer, jsonschemaTag("default=1.5"), derive.RuleTagValue},
		"an example that is refused":           {text, jsonschemaTag("minLength=2,example=a"), schema.RuleExample},
		"an enum value that is refused":        {text, jsonschemaTag("maxLength=1,enum=a,enum=ab"), schema.RuleEnum},
		"an enum value twice":                  {text, jsonschemaTag("enum=a,enum=a"), derive.RuleTagDuplicate},
		"a pattern that is not RE2":            {text, jsonschemaTag("pattern=^(?!x)"), schema.RulePattern},
		"a format that nothing checks":         {text, jsonschemaTag("format=emial"), schema.RuleFormat},
		"nullable on a value":                  {text, jsonschemaTag("nullable"), derive.RuleTagApplies},
		"a hidden field":                       {text, jsonschemaTag("-"), derive.RuleTagRefused},
		"another type":                         {text, jsonschemaTag("type=integer"), derive.RuleTagRefused},
		"oneof_required":                       {text, jsonschemaTag("oneof_required=a"), derive.RuleTagRefused},
		"anyof_ref":                            {text, jsonschemaTag("anyof_ref=a;b"), derive.RuleTagRefused},
		"an extra that is a keyword":           {text, `jsonschema_extras:"minimum=3"`, derive.RuleTagUnknown},
		"an extra for contract tags only":      {text, `jsonschema_extras:"x-secret=true"`, derive.RuleTagUnknown},
		"an extra without a value":             {text, `jsonschema_extras:"x-a"`, derive.RuleTagValue},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, problems := derive.Derive(oneField(test.of, test.tag), schema.Input, derive.Options{})
			assert.Nil(t, raw)
			require.Len(t, problems, 1)
			assert.Equal(t, test.rule, problems[0].Rule, problems[0].Message)
			assert.Equal(t, "input.V", problems[0].Field)
			assert.NotEmpty(t, problems[0].Message)
			assert.NotEmpty(t, problems[0].Remedy)
		})
	}
}

func TestDerive_NamesTheRemedyOfACommaThatIsNotInAValue(t *testing.T) {
	t.Parallel()
	const escape = `write a comma within a value as \\,`
	for name, test := range map[string]struct{ tag, remedy string }{
		"a blank before a keyword":   {"minLength=1, maxLength=3", "remove the blank before maxLength; " + escape},
		"a blank before a flag":      {"minLength=1, required", "remove the blank before required; " + escape},
		"a list of enum values":      {"enum=red,blue", "give each value with enum= of its own; " + escape},
		"a list of examples":         {"example=red,blue", "give each value with example= of its own; " + escape},
		"a comma of the value":       {"pattern=^[a-z]{1,3}$", escape},
		"a word that is no keyword":  {"description=Hello, world", escape},
		"a keyword within the words": {"description=Hello, title of a book", escape},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := derive.Derive(oneField(reflect.TypeFor[string](), jsonschemaTag(test.tag)), schema.Input, derive.Options{})
			require.Len(t, problems, 1)
			assert.Equal(t, derive.RuleTagComma, problems[0].Rule)
			assert.Equal(t, test.remedy, problems[0].Remedy)
		})
	}
}

func TestDerive_RefusesTagsOnAnEmbeddedStruct(t *testing.T) {
	t.Parallel()
	type input struct {
		base `jsonschema:"title=x"`
	}
	_, problems := derive.Derive(reflect.TypeFor[input](), schema.Input, derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, derive.RuleTagApplies, problems[0].Rule)
	assert.Equal(t, "input.base", problems[0].Field)
}

func TestDerive_RefusesARequiredOutputThatMayBeOmitted(t *testing.T) {
	t.Parallel()
	_, problems := derive.Derive(oneField(reflect.TypeFor[string](), jsonschemaTag("required")), schema.Output, derive.Options{})
	require.Len(t, problems, 1)
	assert.Equal(t, derive.RuleTagApplies, problems[0].Rule)
}

// FuzzTag checks that any tag yields either a problem or a schema that
// compiles.
func FuzzTag(f *testing.F) {
	for _, seed := range []string{"minLength=1,pattern=^a$", `pattern=^a{1\,2}$`, "enum=a,default=b", "minimum=1e999",
		"required,title=\xff", "format=uuid,example=x"} {
		f.Add(seed, uint8(0))
	}
	types := []reflect.Type{
		reflect.TypeFor[string](), reflect.TypeFor[int8](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](),
		reflect.TypeFor[bool](),
		reflect.TypeFor[[]string](), reflect.TypeFor[[]int](), reflect.TypeFor[leaf](), reflect.TypeFor[any](),
		reflect.TypeFor[[]byte](), reflect.TypeFor[[]tree](),
	}
	f.Fuzz(func(t *testing.T, tag string, of uint8) {
		raw, problems := derive.Derive(oneField(types[int(of)%len(types)], jsonschemaTag(tag)), schema.Input, derive.Options{})
		if len(problems) > 0 {
			require.Nil(t, raw)
			return
		}
		require.True(t, json.Valid(raw))
		_, problems = schema.Compile(raw, schema.CompileOptions{})
		require.Empty(t, problems)
	})
}
