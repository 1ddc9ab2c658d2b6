package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/invopop/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

type innerTags[T any] struct {
	Inner T `json:"inner"`
}

type embeddedSensitive struct {
	noteInput `contract:"sensitive"`
}

type unwrittenSensitive struct {
	Text   string `json:"text"`
	Hidden string `json:"-" contract:"sensitive"`
}

type unexportedSensitive struct {
	Text   string `json:"text"`
	hidden string `contract:"sensitive"`
}

// use keeps the field from being unused: its tag is what the test is about.
var _ = unexportedSensitive{}.hidden

func readingOf[In any]() *contract.Builder[In, noteOutput] {
	return complete(contract.New("notes.read", handler[In, noteOutput])).Effect(risk.ReadOnly)
}

func returning[Out any]() *contract.Builder[noteInput, Out] {
	return complete(contract.New("notes.read", handler[noteInput, Out])).Effect(risk.ReadOnly)
}

type (
	twoWords struct {
		Text string `json:"text" contract:"sensitive,review"`
	}
	blankedWords struct {
		Text string `json:"text" contract:"sensitive, review"`
	}
	emptyWord struct {
		Text string `json:"text" contract:""`
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
	twoKeys struct {
		A string `json:"a" contract:"idempotency-key"`
		B string `json:"b" contract:"idempotency-key"`
	}
	doubledTag struct {
		Text string `json:"text" contract:"sensitive" contract:"review"`
	}
)

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
	untaggedJSON struct {
		Text string `json:"text"`
	}
)

func textSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (ownJSON) MarshalJSON() ([]byte, error)     { return []byte(`"x"`), nil }
func (*ownJSON) UnmarshalJSON([]byte) error      { return nil }
func (ownJSON) JSONSchema() *jsonschema.Schema   { return textSchema() }
func (ownSchema) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }
func (ownText) MarshalText() ([]byte, error)     { return nil, nil }
func (*ownText) UnmarshalText([]byte) error      { return nil }
func (u untaggedJSON) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"is": u.Text})
}
func (u *untaggedJSON) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &u.Text) }
func (untaggedJSON) JSONSchema() *jsonschema.Schema     { return &jsonschema.Schema{} }

func TestFieldTags_SayNothingWithinATypeOfItsOwnForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		builder buildable
		clause  string
	}{
		"that reads its own JSON":                 {readingOf[innerTags[ownJSON]](), "contract_test.ownJSON.Text"},
		"that reads its own JSON, in a list":      {readingOf[innerTags[[]*ownJSON]](), "contract_test.ownJSON.Text"},
		"that gives its own schema":               {readingOf[innerTags[ownSchema]](), "contract_test.ownSchema.Text"},
		"that gives its own schema, as the input": {readingOf[ownSchema](), "contract_test.ownSchema.Text"},
		"that reads its own text, deeper":         {readingOf[innerTags[ownText]](), "contract_test.sensitiveWord.Text"},
		"that writes its own JSON":                {returning[innerTags[ownJSON]](), "contract_test.ownJSON.Text"},
	} {
		t.Run("a type "+name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"field.tag"}, mistakes(t, c.builder))
			_, err := c.builder.Build()
			assert.Equal(t, c.clause, contract.DeclarationErrors(err)[0].Clause)
		})
	}
}

func TestFieldTags_OfAFieldSayAllOfATypeOfItsOwnForm(t *testing.T) {
	t.Parallel()
	type input struct {
		Own untaggedJSON `json:"own" contract:"secret"`
	}
	tool := open(t, readingOf[input]())
	args, violations := tool.Decode([]byte(`{"own":"hunter2"}`))
	require.Empty(t, violations)
	assert.Equal(t, []string{"hunter2"}, tool.Hidden(args.Tree))

	type output struct {
		Own   untaggedJSON `json:"own" contract:"expose"`
		Other untaggedJSON `json:"other"`
	}
	half := open(t, complete(contract.New("keys.describe", handler[noteInput, output])).Risk(risk.Restricted).Effect(risk.ReadOnly).Permissions("a"))
	raw, _, err := half.Encode(output{untaggedJSON{"a"}, untaggedJSON{"b"}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"own":{"is":"a"}}`, string(raw))
}

func TestFieldTags_ApplyWhereTheyMeanSomething(t *testing.T) {
	t.Parallel()
	managed := contract.Idempotency{Mode: idempotency.Managed}
	for name, b := range map[string]buildable{
		"two words of an input":      readingOf[twoWords](),
		"a secret of an input":       readingOf[secretWord](),
		"a secret of a nested input": readingOf[innerTags[secretWord]](),
		"a review of an item":        readingOf[innerTags[[]reviewWord]](),
		"a sensitive result":         returning[sensitiveWord](),
		"an exposed result":          returning[exposedWord](),
		"an exposed field of a map":  returning[map[string]exposedWord](),
		"a key of a managed tool":    readingOf[keyWord]().Idempotency(managed),
	} {
		_, err := b.Build()
		assert.NoError(t, err, name)
	}
	for name, b := range map[string]buildable{
		"an unknown word":                   readingOf[unknownFieldTagInput](),
		"an unknown word of a nested field": readingOf[innerTags[unknownFieldTagInput]](),
		"an unknown word of an item":        readingOf[innerTags[[]unknownFieldTagInput]](),
		"an unknown word behind a pointer":  readingOf[innerTags[map[string]*unknownFieldTagInput]](),
		"a blank before a word":             readingOf[blankedWords](),
		"an empty tag":                      readingOf[emptyWord](),
		"the tag twice":                     readingOf[doubledTag](),
		"an exposed input":                  readingOf[exposedWord](),
		"a secret result":                   returning[secretWord](),
		"a review of a result":              returning[reviewWord](),
		"a key in a result":                 returning[keyWord](),
		"a key below the input":             readingOf[innerTags[keyWord]]().Idempotency(managed),
		"two keys":                          readingOf[twoKeys]().Idempotency(managed),
		"a tag on an embedded struct":       readingOf[embeddedSensitive](),
		"a tag on what is not written":      readingOf[unwrittenSensitive](),
		"a tag on what is not exported":     readingOf[unexportedSensitive](),
	} {
		t.Run(name+" is a mistake", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, []string{"field.tag"}, mistakes(t, b))
		})
	}
}

// open hands out the guard's half of a tool.
func open(t *testing.T, b buildable) *bound.Tool {
	t.Helper()
	return build(t, b).Bound(bound.NewKey())
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

func TestHidden_CollectsWhatIsSensitiveLongestFirst(t *testing.T) {
	t.Parallel()
	tool := open(t, readingOf[hiddenInput]())
	args, violations := tool.Decode([]byte(`{
		"name":"open name","token":"hunter2",
		"body":[{"text":"long sensitive text","size":4711,"part":0.25}],
		"parts":[{"text":"part","size":12,"part":0.5},{"text":"part","size":12,"part":0.5}],
		"labels":{"colour":"red"},
		"next":{"name":"open too","token":"deeper","body":[],"parts":[],"labels":{"":""}}
	}`))
	require.Empty(t, violations)
	assert.Equal(t, []string{"long sensitive text", "hunter2", "colour", "deeper", "0.25", "4711", "part", "red"}, tool.Hidden(args.Tree))
}

func TestHidden_LooksIntoAnEmbeddedStructWithAName(t *testing.T) {
	t.Parallel()
	type input struct {
		noteInput `json:"in" contract:"sensitive"`
	}
	tool := open(t, readingOf[input]())
	args, violations := tool.Decode([]byte(`{"in":{"text":"hunter2"}}`))
	require.Empty(t, violations)
	assert.Equal(t, []string{"hunter2"}, tool.Hidden(args.Tree))
}

func TestHidden_IsNothingWhereNothingIsTagged(t *testing.T) {
	t.Parallel()
	tool := open(t, reading())
	args, violations := tool.Decode([]byte(`{"text":"open"}`))
	require.Empty(t, violations)
	assert.Empty(t, tool.Hidden(args.Tree))
}

type restrictedOutput struct {
	ID     string                   `json:"id" contract:"expose"`
	Secret string                   `json:"secret"`
	Part   restrictedPart           `json:"part" contract:"expose"`
	Parts  []restrictedPart         `json:"parts" contract:"expose"`
	ByName map[string]restrictedOne `json:"byName" contract:"expose"`
	Hidden restrictedPart           `json:"hidden"`
	Raw    json.RawMessage          `json:"raw" contract:"expose"`
}

type restrictedPart struct {
	Name string `json:"name" contract:"expose"`
	Key  string `json:"key"`
}

type restrictedOne struct {
	Key string `json:"key"`
}

func TestRestricted_PublishesAndReturnsOnlyWhatIsExposed(t *testing.T) {
	t.Parallel()
	b := complete(contract.New("keys.describe", handler[noteInput, restrictedOutput])).Risk(risk.Restricted).Effect(risk.ReadOnly).Permissions("keys:describe")
	tool := build(t, b)
	var published any
	require.NoError(t, json.Unmarshal(tool.Document().OutputSchema, &published))
	names := map[string]bool{}
	properties(published, names)
	assert.Equal(t, map[string]bool{"id": true, "part": true, "parts": true, "byName": true, "raw": true, "name": true}, names)

	half := tool.Bound(bound.NewKey())
	raw, tree, err := half.Encode(restrictedOutput{
		ID: "1", Secret: "s", Part: restrictedPart{"n", "k"}, Parts: []restrictedPart{{"m", "k"}},
		ByName: map[string]restrictedOne{"one": {"k"}}, Hidden: restrictedPart{"h", "k"}, Raw: json.RawMessage(`{"any":1}`),
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"1","part":{"name":"n"},"parts":[{"name":"m"}],"byName":{"one":{}},"raw":{"any":1}}`, string(raw))
	assert.Empty(t, half.OutputSchema.Validate(tree), "what is returned satisfies what is published")
}

// properties collects the property names of a schema, at any depth.
func properties(schema any, names map[string]bool) {
	switch v := schema.(type) {
	case map[string]any:
		for key, sub := range v {
			if members, ok := sub.(map[string]any); ok && key == "properties" {
				for name := range members {
					names[name] = true
				}
			}
			properties(sub, names)
		}
	case []any:
		for _, sub := range v {
			properties(sub, names)
		}
	}
}

func TestRestricted_IsWhatTheTagsAreFor(t *testing.T) {
	t.Parallel()
	d := build(t, returning[restrictedOutput]()).Document()
	assert.Contains(t, string(d.OutputSchema), `"secret"`, "a tool that is not restricted returns all")
}

type misspeltTag struct {
	Text string `json:"text" contract:"secrt"`
}

// A word that protects something is not to be misspelt unnoticed, nor looked up.
func TestFieldTags_AMisspeltWordIsToldWhatItCouldBe(t *testing.T) {
	t.Parallel()
	_, err := complete(contract.New("notes.write", handler[misspeltTag, noteOutput])).Effect(risk.ReadOnly).Build()
	errs := contract.DeclarationErrors(err)
	require.Len(t, errs, 1)
	assert.Equal(t, "did you mean secret? known here are sensitive, secret, review, idempotency-key", errs[0].Remedy)
}
