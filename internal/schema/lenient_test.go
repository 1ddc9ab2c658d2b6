package schema_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

var allForms = []schema.Form{schema.NullAsAbsent, schema.TextAsNumber, schema.TextAsBoolean, schema.SingleAsList,
	schema.TextAsJSON, schema.EmptyAsAbsent, schema.HostMember}

func TestLenientReader_ReadsOnlyWhatTheSchemaRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		schema, given, want string
		readings            []schema.Reading
	}{
		"text as an integer": {`{"type":"integer"}`, `"5"`, `5`, []schema.Reading{{"/v", schema.TextAsNumber}}},
		"text as a large integer": {`{"type":"integer"}`, `"9007199254740993"`, `9007199254740993`,
			[]schema.Reading{{"/v", schema.TextAsNumber}}},
		"text as a number":             {`{"type":"number"}`, `"-1.5e2"`, `-150`, []schema.Reading{{"/v", schema.TextAsNumber}}},
		"a fraction for an integer":    {`{"type":"integer"}`, `"5.5"`, `"5.5"`, nil},
		"a number with blanks":         {`{"type":"number"}`, `" 5"`, `" 5"`, nil},
		"a number of another language": {`{"type":"number"}`, `"0x10"`, `"0x10"`, nil},
		"no number":                    {`{"type":"number"}`, `"NaN"`, `"NaN"`, nil},
		"empty text":                   {`{"type":"number"}`, `""`, ``, []schema.Reading{{"/v", schema.EmptyAsAbsent}}},
		"empty text for a list":        {`{"type":["array","null"]}`, `""`, ``, []schema.Reading{{"/v", schema.EmptyAsAbsent}}},
		"empty text for an enum":       {`{"type":"string","enum":["a"]}`, `""`, ``, []schema.Reading{{"/v", schema.EmptyAsAbsent}}},
		"empty text of an enum":        {`{"type":"string","enum":["a",""]}`, `""`, `""`, nil},
		"empty text for a time":        {`{"$ref":"#/$defs/t"}`, `""`, ``, []schema.Reading{{"/v", schema.EmptyAsAbsent}}},
		"empty text for text":          {`{"type":"string","minLength":1}`, `""`, `""`, nil},
		"empty text for an address":    {`{"type":"string","format":"email"}`, `""`, `""`, nil},
		"empty text for a boolean":     {`{"type":"boolean"}`, `""`, `""`, nil},
		"empty text for an object":     {`{"type":"object"}`, `""`, `""`, nil},
		"a blank for a number":         {`{"type":"number"}`, `" "`, `" "`, nil},
		"empty text of a list":         {`{"type":"array","items":{"type":"integer"}}`, `[""]`, `[""]`, nil},
		"empty text for a required number": {`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}`, `{"a":""}`,
			`{"a":""}`, nil},
		"JSON of a list": {`{"type":"array","items":{"type":"integer"}}`, `"[\"1\",2]"`, `[1,2]`,
			[]schema.Reading{{"/v", schema.TextAsJSON}, {"/v/0", schema.TextAsNumber}}},
		"JSON of an object": {`{"type":"object","properties":{"n":{"type":"integer"}}}`, `" {\"n\":\"1\"}"`, `{"n":1}`,
			[]schema.Reading{{"/v", schema.TextAsJSON}, {"/v/n", schema.TextAsNumber}}},
		"JSON of a list for an object":          {`{"type":"object"}`, `"[1]"`, `"[1]"`, nil},
		"JSON of an object for a list":          {`{"type":"array"}`, `"{}"`, `"{}"`, nil},
		"JSON of a name twice":                  {`{"type":"object"}`, `"{\"a\":1,\"a\":2}"`, `"{\"a\":1,\"a\":2}"`, nil},
		"JSON and more":                         {`{"type":"array"}`, `"[1] [2]"`, `"[1] [2]"`, nil},
		"JSON that may be text":                 {`{"type":["string","array"]}`, `"[1]"`, `"[1]"`, nil},
		"a list of text that looks like a list": {`{"type":"array","items":{"type":"string"}}`, `"[bug]"`, `"[bug]"`, nil},
		"a list of text that is null":           {`{"type":"array","items":{"type":"string"}}`, `"null"`, `"null"`, nil},
		"a list of text in JSON":                {`{"type":"array","items":{"type":"string"}}`, `"\"a\""`, `"\"a\""`, nil},
		"a list of several in a text":           {`{"type":"array","items":{"type":"string"}}`, `"a,b"`, `"a,b"`, nil},
		"a list of several in lines":            {`{"type":"array","items":{"type":"string"}}`, `"a\nb"`, `"a\nb"`, nil},
		"JSON in text":                          {`{"type":["object","number"]}`, `"{}"`, `{}`, []schema.Reading{{"/v", schema.TextAsJSON}}},
		"text that may be text":                 {`{"type":["string","integer"]}`, `"5"`, `"5"`, nil},
		"text of any type":                      {`{}`, `"5"`, `"5"`, nil},
		"text as a boolean":                     {`{"type":"boolean"}`, `"true"`, `true`, []schema.Reading{{"/v", schema.TextAsBoolean}}},
		"another word for a boolean":            {`{"type":"boolean"}`, `"yes"`, `"yes"`, nil},
		"a number for a boolean":                {`{"type":"boolean"}`, `1`, `1`, nil},
		"a number for text":                     {`{"type":"string"}`, `1`, `1`, nil},
		"null":                                  {`{"type":"string"}`, `null`, ``, []schema.Reading{{"/v", schema.NullAsAbsent}}},
		"null that is accepted":                 {`{"type":["string","null"]}`, `null`, `null`, nil},
		"null of a union":                       {`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `null`, `null`, nil},
		"null of any type":                      {`{}`, `null`, `null`, nil},
		"a list of one": {`{"type":"array","items":{"type":"string"}}`, `"a"`, `["a"]`,
			[]schema.Reading{{"/v", schema.SingleAsList}}},
		"a list of one number": {`{"type":"array","items":{"type":"integer"}}`, `"5"`, `[5]`,
			[]schema.Reading{{"/v", schema.SingleAsList}, {"/v", schema.TextAsNumber}}},
		"a list of one list": {`{"type":"array","items":{"type":"array"}}`, `"a"`, `[["a"]]`,
			[]schema.Reading{{"/v", schema.SingleAsList}, {"/v", schema.SingleAsList}}},
		"a list of one object": {`{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"}}}}`,
			`{"n":"1"}`, `[{"n":1}]`, []schema.Reading{{"/v", schema.SingleAsList}, {"/v/n", schema.TextAsNumber}}},
		"a list": {`{"type":"array","items":{"type":"integer"}}`, `["1",2]`, `[1,2]`,
			[]schema.Reading{{"/v/0", schema.TextAsNumber}}},
		"a tuple": {`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],` +
			`"items":{"type":"boolean"}}`, `["1","2","true"]`, `["1",2,true]`, []schema.Reading{{"/v/1", schema.TextAsNumber},
			{"/v/2", schema.TextAsBoolean}}},
		"null within a list": {`{"type":"array","items":{"type":"integer"}}`, `[null]`, `[null]`, nil},
		"null for a required member": {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":null}`,
			`{"a":null}`, nil},
		"null of an undeclared member": {`{"type":"object"}`, `{"a":null}`, `{"a":null}`, nil},
		"a member of a map": {`{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a/b":"1"}`, `{"a/b":1}`,
			[]schema.Reading{{"/v/a~1b", schema.TextAsNumber}}},
		"a member by its pattern": {`{"type":"object","patternProperties":{"^n":{"type":"integer"}},` +
			`"additionalProperties":{"type":"string"}}`, `{"n":"1","m":"1"}`, `{"n":1,"m":"1"}`,
			[]schema.Reading{{"/v/n", schema.TextAsNumber}}},
		"through a reference": {`{"$ref":"#/$defs/n","description":"D"}`, `"7"`, `7`,
			[]schema.Reading{{"/v", schema.TextAsNumber}}},
		"through allOf": {`{"allOf":[{"type":"number"},{"type":"integer"}]}`, `"7"`, `7`,
			[]schema.Reading{{"/v", schema.TextAsNumber}}},
		"within an object or null": {`{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}}},{"type":"null"}]}`,
			`{"n":"7"}`, `{"n":7}`, []schema.Reading{{"/v/n", schema.TextAsNumber}}},
		"a union of numbers and truth": {`{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"true"`, `true`,
			[]schema.Reading{{"/v", schema.TextAsBoolean}}},
		"within another union": {`{"oneOf":[{"type":"object","properties":{"n":{"type":"integer"}}},{"type":"object"}]}`,
			`{"n":"7"}`, `{"n":"7"}`, nil},
		"a union with an untyped form":  {`{"anyOf":[{"type":"integer"},{"minLength":1}]}`, `"7"`, `"7"`, nil},
		"types that exclude each other": {`{"allOf":[{"type":"integer"},{"type":"string"}]}`, `"7"`, `"7"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := tree.Of(parse(t, `{"type":"object","properties":{"v":`+test.schema+`},"$defs":{"n":{"type":"integer"},`+
				`"t":{"type":"string","format":"date"}}}`))
			given, want := parse(t, `{"v":`+test.given+`}`), parse(t, `{}`)
			if test.want != "" {
				want = parse(t, `{"v":`+test.want+`}`)
			}
			before, err := strictjson.Marshal(given)
			require.NoError(t, err)
			read, readings := schema.NewLenientReader(document, allForms).Read(given)
			assert.Equal(t, want, read)
			assert.Equal(t, test.readings, readings)
			after, err := strictjson.Marshal(given)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after), "the given value does not change")

			strict, readings := schema.NewLenientReader(document, nil).Read(given)
			assert.Equal(t, given, strict, "without a form nothing is read otherwise")
			assert.Empty(t, readings)
			_, readings = schema.NewLenientReader(document, allForms, "v").Read(given)
			assert.Empty(t, readings, "a member that is skipped is read strictly")
		})
	}
}

// A member that a host adds is dropped from the root, unless the schema names
// it.
func TestLenientReader_DropsTheMembersOfHosts(t *testing.T) {
	t.Parallel()
	both := []schema.Reading{{"/random_string", schema.HostMember}, {"/toolCallId", schema.HostMember}}
	for name, test := range map[string]struct {
		schema, given, want string
		readings            []schema.Reading
	}{
		"closed": {`{"additionalProperties":false}`, `{"toolCallId":"x","random_string":{}}`, `{}`, both},
		"open":   {`{"additionalProperties":true}`, `{"toolCallId":"x","random_string":{}}`, `{}`, both},
		"others stay": {`{"additionalProperties":false}`, `{"toolcallid":"x","toolCallID":1,"random":1}`,
			`{"toolcallid":"x","toolCallID":1,"random":1}`, nil},
		"of a chat": {`{"additionalProperties":false}`, `{"sessionId":"x","action":"sendMessage","chatInput":"y","toolCallId":"z"}`,
			`{}`, []schema.Reading{{"/action", schema.HostMember}, {"/chatInput", schema.HostMember}, {"/sessionId", schema.HostMember},
				{"/toolCallId", schema.HostMember}}},
		"a part of those of a chat": {`{"additionalProperties":false}`, `{"sessionId":"x","action":"preview"}`,
			`{"sessionId":"x","action":"preview"}`, nil},
		"those of a chat beside a declared one": {`{"properties":{"action":{}}}`, `{"sessionId":1,"action":2,"chatInput":3}`,
			`{"action":2}`, []schema.Reading{{"/chatInput", schema.HostMember}, {"/sessionId", schema.HostMember}}},
		"below the root": {`{"properties":{"a":{"type":"object"}}}`, `{"a":{"toolCallId":1}}`, `{"a":{"toolCallId":1}}`, nil},
		"declared":       {`{"properties":{"toolCallId":{"type":"string"}}}`, `{"toolCallId":"x"}`, `{"toolCallId":"x"}`, nil},
		"declared by a part": {`{"oneOf":[{"properties":{"toolCallId":{"type":"string"}}},{}]}`, `{"toolCallId":"x"}`,
			`{"toolCallId":"x"}`, nil},
		"declared by a pattern": {`{"patternProperties":{"^tool":{}}}`, `{"toolCallId":"x"}`, `{"toolCallId":"x"}`, nil},
		"required":              {`{"required":["toolCallId"]}`, `{"toolCallId":"x"}`, `{"toolCallId":"x"}`, nil},
	} {
		document := tree.Of(parse(t, test.schema))
		read, readings := schema.NewLenientReader(document, allForms).Read(parse(t, test.given))
		assert.Equal(t, parse(t, test.want), read, name)
		assert.Equal(t, test.readings, readings, name)
		strict, _ := schema.NewLenientReader(document, allForms[:6]).Read(parse(t, test.given))
		assert.Equal(t, parse(t, test.given), strict, name)
	}
}

// Whatever a strict reading accepts stays unchanged, and reading twice is the
// same as reading once.
func TestLenientReader_ChangesNothingThatIsValid(t *testing.T) {
	t.Parallel()
	const raw = `{"type":"object","properties":{
		"n":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"},"l":{"type":"array","items":{"type":"number"}},
		"o":{"$ref":"#"},"u":{"type":["string","integer","null"]}},"additionalProperties":{"type":"boolean"},"required":["n"]}`
	compiled, problems := schema.Compile(json.RawMessage(raw), schema.CompileOptions{})
	require.Empty(t, problems)
	reader := schema.NewLenientReader(compiled.Document(), allForms)
	drawtest.Check(t, func(t *drawtest.T) {
		given := drawValue(t, 3)
		read, readings := reader.Read(given)
		again, none := reader.Read(read)
		require.Equal(t, read, again)
		require.Empty(t, none)
		if len(readings) == 0 || len(compiled.Validate(given)) == 0 {
			require.Equal(t, given, read)
		}
	})
}

func drawValue(t *drawtest.T, levels int) any {
	scalars := []any{nil, true, "true", "5", "x", "", int64(5), 1.5}
	if levels == 0 {
		return drawtest.One(t, scalars...)
	}
	switch t.Int(0, 4) {
	case 0, 1:
		return drawtest.One(t, scalars...)
	case 2:
		items := make([]any, t.Int(0, 2))
		for i := range items {
			items[i] = drawValue(t, levels-1)
		}
		return items
	default:
		members := map[string]any{}
		for _, name := range drawtest.Some(t, 7, "n", "b", "s", "l", "o", "u", "x") {
			members[name] = drawValue(t, levels-1)
		}
		return members
	}
}
