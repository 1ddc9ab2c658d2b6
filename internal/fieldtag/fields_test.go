package fieldtag_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

type (
	plain struct {
		Text string `json:"text"`
	}
	twoWords struct {
		Text string `json:"text" contract:"sensitive,review"`
	}
	blankedWords struct {
		Text string `json:"text" contract:"sensitive, review"`
	}
	emptyWord struct {
		Text string `json:"text" contract:""`
	}
	unknownWord struct {
		Text string `json:"text" contract:"secrt"`
	}
	exposedWord struct {
		Text string `json:"text" contract:"expose"`
	}
	secretWord struct {
		Text string `json:"text" contract:"secret"`
	}
	reviewWord struct {
		Text string `json:"text" contract:"review"`
	}
	sensitiveWord struct {
		Text string `json:"text" contract:"sensitive"`
	}
	keyWord struct {
		Text string `json:"text" contract:"idempotency-key"`
	}
	doubledTag struct {
		Text string `json:"text" contract:"sensitive" contract:"review"`
	}
	embeddedSensitive struct {
		plain `contract:"sensitive"`
	}
	unwrittenSensitive struct {
		Text   string `json:"text"`
		Hidden string `json:"-" contract:"sensitive"`
	}
	unexportedSensitive struct {
		Text   string `json:"text"`
		hidden string `contract:"sensitive"`
	}
	marker     struct{}
	markedType struct {
		_    marker `contract:"sensitive"`
		Text string `json:"text"`
	}
)

// The test checks the tag of the field.
var _ = unexportedSensitive{}.hidden

// Types whose JSON or schema does not come from their fields.
type (
	ownJSON struct {
		Text string `json:"text" contract:"secret"`
	}
	ownSchema struct {
		Text string `json:"text" contract:"sensitive"`
	}
	ownText struct {
		Inner *sensitiveWord
	}
)

func (ownJSON) MarshalJSON() ([]byte, error)     { return []byte(`"x"`), nil }
func (*ownJSON) UnmarshalJSON([]byte) error      { return nil }
func (ownSchema) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }
func (ownText) MarshalText() ([]byte, error)     { return nil, nil }
func (*ownText) UnmarshalText([]byte) error      { return nil }

type inner[T any] struct {
	Inner T `json:"inner"`
}

func read[T any](dir schema.Direction) (fields *fieldtag.Fields, mistakes []string) {
	reader := fieldtag.Reader{
		Direction: dir,
		IsMarker:  func(t reflect.Type) bool { return t == reflect.TypeFor[marker]() },
		Report:    func(field, message, remedy string) { mistakes = append(mistakes, field+": "+message+"; "+remedy) },
	}
	return reader.Read(reflect.TypeFor[T]()), mistakes
}

func mistakes[T any](dir schema.Direction) []string {
	_, mistakes := read[T](dir)
	return mistakes
}

const (
	inputWords  = "known here are sensitive, secret, review, idempotency-key"
	outputWords = "known here are sensitive, expose"
	within      = ": the contract tag has no meaning within a type that has its own JSON or its own schema; tag the field " +
		"that holds the type, or remove it"
	noMember = ": the contract tag is on a field that is not a member of the JSON; tag the fields that are, or remove it"
)

func TestRead_ReportsTagsWithoutEffect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		got  []string
		want string // "" is no mistake
	}{
		"two words of an input":      {mistakes[twoWords](schema.Input), ""},
		"a secret of an input":       {mistakes[secretWord](schema.Input), ""},
		"a secret of a nested input": {mistakes[inner[secretWord]](schema.Input), ""},
		"a review of an item":        {mistakes[inner[[]reviewWord]](schema.Input), ""},
		"a sensitive result":         {mistakes[sensitiveWord](schema.Output), ""},
		"an exposed result":          {mistakes[exposedWord](schema.Output), ""},
		"an exposed field of a map":  {mistakes[map[string]exposedWord](schema.Output), ""},
		"a key of an input":          {mistakes[keyWord](schema.Input), ""},
		"a marker field":             {mistakes[markedType](schema.Input), ""},
		"an unknown word": {mistakes[unknownWord](schema.Input), `fieldtag_test.unknownWord.Text: unknown contract ` +
			`field tag "secrt"; did you mean secret? ` + inputWords},
		"an unknown word of a result": {mistakes[unknownWord](schema.Output), `fieldtag_test.unknownWord.Text: unknown contract ` +
			`field tag "secrt"; ` + outputWords},
		"an unknown word of a nested field": {mistakes[inner[unknownWord]](schema.Input), `fieldtag_test.unknownWord.Text: unknown ` +
			`contract field tag "secrt"; did you mean secret? ` + inputWords},
		"an unknown word of an item": {mistakes[inner[[]unknownWord]](schema.Input), `fieldtag_test.unknownWord.Text: unknown ` +
			`contract field tag "secrt"; did you mean secret? ` + inputWords},
		"an unknown word behind a pointer": {mistakes[inner[map[string]*unknownWord]](schema.Input),
			`fieldtag_test.unknownWord.Text: unknown contract field tag "secrt"; did you mean secret? ` + inputWords},
		"a blank before a word": {mistakes[blankedWords](schema.Input), `fieldtag_test.blankedWords.Text: unknown contract field ` +
			`tag " review"; did you mean review? ` + inputWords},
		"an empty tag": {mistakes[emptyWord](schema.Input), `fieldtag_test.emptyWord.Text: unknown contract ` +
			`field tag ""; ` + inputWords},
		"the tag twice": {mistakes[doubledTag](schema.Input), "fieldtag_test.doubledTag.Text: the key contract stands " +
			"twice; mend the tag"},
		"an exposed input": {mistakes[exposedWord](schema.Input), "fieldtag_test.exposedWord.Text: expose does not apply " +
			"to an input; " + inputWords},
		"a secret result": {mistakes[secretWord](schema.Output), "fieldtag_test.secretWord.Text: secret does not apply to " +
			"an output; " + outputWords},
		"a review of a result": {mistakes[reviewWord](schema.Output), "fieldtag_test.reviewWord.Text: review does not apply to " +
			"an output; " + outputWords},
		"a key in a result": {mistakes[keyWord](schema.Output), "fieldtag_test.keyWord.Text: idempotency-key does not apply " +
			"to an output; " + outputWords},
		"a key below the input": {mistakes[inner[keyWord]](schema.Input), "fieldtag_test.keyWord.Text: idempotency-key applies " +
			"to direct fields of the input; tag a direct field"},
		"a tag on an embedded struct": {mistakes[embeddedSensitive](schema.Input), "fieldtag_test.embeddedSensitive.plain" + noMember},
		"a tag on an unwritten field": {mistakes[unwrittenSensitive](schema.Input), "fieldtag_test.unwrittenSensitive.Hidden" +
			noMember},
		"a tag on an unexported field": {mistakes[unexportedSensitive](schema.Input), "fieldtag_test.unexportedSensitive.hidden" +
			noMember},
		"a type with its own JSON":     {mistakes[inner[ownJSON]](schema.Input), "fieldtag_test.ownJSON.Text" + within},
		"a list of such":               {mistakes[inner[[]*ownJSON]](schema.Input), "fieldtag_test.ownJSON.Text" + within},
		"a result with its own JSON":   {mistakes[inner[ownJSON]](schema.Output), "fieldtag_test.ownJSON.Text" + within},
		"a type with its own schema":   {mistakes[inner[ownSchema]](schema.Input), "fieldtag_test.ownSchema.Text" + within},
		"an input with its own schema": {mistakes[ownSchema](schema.Input), "fieldtag_test.ownSchema.Text" + within},
		"a type with its own text":     {mistakes[inner[ownText]](schema.Input), "fieldtag_test.sensitiveWord.Text" + within},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.want == "" {
				assert.Empty(t, test.got)
				return
			}
			assert.Equal(t, []string{test.want}, test.got)
		})
	}
}

func TestFields_KnowTheirDirectMembers(t *testing.T) {
	t.Parallel()
	fields, _ := read[twoWords](schema.Input)
	words, ok := fields.Words("text")
	assert.True(t, ok && words.Has(fieldtag.Sensitive) && words.Has(fieldtag.Review) && !words.Has(fieldtag.Secret))
	_, ok = fields.Words("Text")
	assert.False(t, ok)
	assert.True(t, fields.IsStruct())
	assert.False(t, fields.HasExposed())

	exposed, _ := read[*exposedWord](schema.Output)
	assert.True(t, exposed.HasExposed())
	list, _ := read[map[string]exposedWord](schema.Output)
	assert.False(t, list.IsStruct() || list.HasExposed())
	var none *fieldtag.Fields
	_, ok = none.Words("text")
	assert.False(t, ok || none.IsStruct() || none.HasExposed())
}

func TestKeywords_AreThoseOfTheWordsOfAField(t *testing.T) {
	t.Parallel()
	field := reflect.TypeFor[twoWords]().Field(0)
	assert.Equal(t, []string{schema.SensitiveKeyword, schema.ReviewKeyword}, fieldtag.Keywords(schema.Input)(field))
	assert.Equal(t, []string{schema.SensitiveKeyword}, fieldtag.Keywords(schema.Output)(field))
}

type hiddenInput struct {
	Name   string            `json:"name"`
	Token  string            `json:"token" contract:"secret"`
	Body   []hiddenPart      `json:"body" contract:"sensitive"`
	Parts  []hiddenPart      `json:"parts"`
	Labels map[string]string `json:"labels" contract:"sensitive"`
	Next   *hiddenInput      `json:"next,omitempty"`
}

type hiddenPart struct {
	Text string  `json:"text" contract:"sensitive"`
	Size int     `json:"size"`
	Part float64 `json:"part"`
}

func parse(t *testing.T, text string) any {
	t.Helper()
	tree, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	require.NoError(t, err)
	return tree
}

func TestHidden_ReturnsTheLongestFirst(t *testing.T) {
	t.Parallel()
	fields, _ := read[hiddenInput](schema.Input)
	assert.Equal(t, []string{"long sensitive text", "hunter2", "colour", "deeper", "0.25", "4711", "part", "red"},
		fields.Hidden(parse(t, `{
		"name":"open name","token":"hunter2",
		"body":[{"text":"long sensitive text","size":4711,"part":0.25}],
		"parts":[{"text":"part","size":12,"part":0.5},{"text":"part","size":12,"part":0.5}],
		"labels":{"colour":"red"},
		"next":{"name":"open too","token":"deeper","body":[],"parts":[],"labels":{"":""}}
	}`), fieldtag.Sensitive|fieldtag.Secret))
	none, _ := read[plain](schema.Input)
	assert.Empty(t, none.Hidden(parse(t, `{"text":"open"}`), fieldtag.Sensitive|fieldtag.Secret))
}

func TestHidden_CoversAllOfATaggedField(t *testing.T) {
	t.Parallel()
	embedded, _ := read[struct {
		plain `json:"in" contract:"sensitive"`
	}](schema.Input)
	assert.Equal(t, []string{"hunter2"}, embedded.Hidden(parse(t, `{"in":{"text":"hunter2"}}`), fieldtag.Sensitive|fieldtag.Secret))

	own, _ := read[struct {
		Own json.RawMessage `json:"own" contract:"secret"`
	}](schema.Input)
	assert.Equal(t, []string{"hunter2", "is", "7"}, own.Hidden(parse(t, `{"own":{"is":["hunter2",7]}}`), fieldtag.Sensitive|fieldtag.Secret))
}

func TestShown_MasksSecretsAndMarksReviews(t *testing.T) {
	t.Parallel()
	type input struct {
		Token string       `json:"token" contract:"secret"`
		Inner []secretWord `json:"inner"`
		Text  []reviewWord `json:"text"`
		Code  int          `json:"code" contract:"secret,review"`
	}
	fields, _ := read[input](schema.Input)
	assert.Equal(t, []bound.Shown{
		{Name: "code", Text: `"(secret)"`, Review: true},
		{Name: "inner", Text: `[{"text":"(secret, 7 characters)"}]`},
		{Name: "other", Text: `[1,"x\ny"]`},
		{Name: "text", Text: `[]`, Review: true},
		{Name: "token", Text: `"(secret, 2 characters)"`},
	}, fields.Shown(parse(t, `{"token":"äö","inner":[{"text":"hunter2"}],"text":[],"code":5,"other":[1,"x\ny"]}`)))
}

func TestExposed_NeedsATagAtEachDepth(t *testing.T) {
	t.Parallel()
	type part struct {
		Name string `json:"name" contract:"expose"`
		Key  string `json:"key"`
	}
	type output struct {
		ID     string           `json:"id" contract:"expose"`
		Secret string           `json:"secret"`
		Parts  []part           `json:"parts" contract:"expose"`
		ByName map[string]plain `json:"byName" contract:"expose"`
		Hidden part             `json:"hidden"`
		Raw    json.RawMessage  `json:"raw" contract:"expose"`
		Own    ownSchema        `json:"own" contract:"expose"`
	}
	fields, _ := read[output](schema.Output)
	assert.Equal(t, parse(t, `{"id":"1","parts":[{"name":"n"}],"byName":{"one":{}},"raw":{"any":1},"own":{"is":"a"}}`),
		fields.Exposed(parse(t, `{
		"id":"1","secret":"s","parts":[{"name":"n","key":"k"}],"byName":{"one":{"text":"t"}},
		"hidden":{"name":"h","key":"k"},"raw":{"any":1},"own":{"is":"a"}
	}`)))
}
