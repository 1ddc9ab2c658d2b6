package contract_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// hidden has characters that hide text, reorder it or control a terminal.
var hidden = map[string]string{
	"a terminal escape": "a\x1b[2Jb", "a control": "a\x07b", "a bidi override": "a\u202eb", "a tag character": "a\U000e0041b",
	"a zero-width space": "a\u200bb",
}

func TestThreat116_TextsOfASchemaHideNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ schema, pointer string }{
		"a title":                   {`{"type":"object","title":X}`, "/title"},
		"a description":             {`{"type":"object","properties":{"text":{"description":X}}}`, "/properties/text/description"},
		"a comment":                 {`{"type":"object","properties":{"text":{"$comment":X}}}`, "/properties/text/$comment"},
		"an enum value":             {`{"type":"object","properties":{"text":{"enum":["a",X]}}}`, "/properties/text/enum/1"},
		"a constant":                {`{"type":"object","properties":{"text":{"const":X}}}`, "/properties/text/const"},
		"a default":                 {`{"type":"object","properties":{"text":{"default":X}}}`, "/properties/text/default"},
		"an example":                {`{"type":"object","properties":{"text":{"examples":["a",X]}}}`, "/properties/text/examples/1"},
		"a pattern":                 {`{"type":"object","properties":{"text":{"pattern":X}}}`, "/properties/text/pattern"},
		"a text of an unused $defs": {`{"type":"object","$defs":{"d":{"description":X}}}`, "/$defs/d/description"},
		"a text of an annotation":   {`{"type":"object","x-note":{"a":[X]}}`, "/x-note/a/0"},
	} {
		for kind, text := range hidden {
			t.Run(name+" with "+kind, func(t *testing.T) {
				t.Parallel()
				quoted, err := json.Marshal(text)
				require.NoError(t, err)
				raw := json.RawMessage(strings.ReplaceAll(test.schema, "X", string(quoted)))
				assertHidden(t, reading().InputSchema(raw), "inputSchema "+test.pointer)
				assertHidden(t, reading().OutputSchema(raw), "outputSchema "+test.pointer)
				foreign := complete(contract.New("notes.read", handler[json.RawMessage, noteOutput])).Effect(risk.ReadOnly).InputSchema(raw)
				assertHidden(t, foreign, "inputSchema "+test.pointer)
			})
		}
	}
}

func TestThreat116_NamesOfASchemaHideNothing(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"of a property":              `{"type":"object","properties":{X:{}}}`,
		"of a pattern of properties": `{"type":"object","patternProperties":{X:{}}}`,
		"of a definition":            `{"type":"object","$defs":{X:{}}}`,
		"of a required property":     `{"type":"object","required":[X]}`,
		"of an annotation":           `{"type":"object","x-a":{X:1}}`,
	} {
		for kind, text := range hidden {
			t.Run(name+" with "+kind, func(t *testing.T) {
				t.Parallel()
				quoted, err := json.Marshal(text)
				require.NoError(t, err)
				raw := json.RawMessage(strings.ReplaceAll(schema, "X", string(quoted)))
				_, err = complete(contract.New("notes.read",
					handler[json.RawMessage, noteOutput])).Effect(risk.ReadOnly).InputSchema(raw).Build()
				found := contract.DeclarationErrors(err)
				require.Len(t, found, 1)
				assert.Equal(t, "text.form", found[0].Rule)
				assert.NotContains(t, err.Error(), text, "the error shows no such character")
			})
		}
	}
}

func assertHidden(t *testing.T, b buildable, where string) {
	t.Helper()
	_, err := b.Build()
	found := contract.DeclarationErrors(err)
	require.Len(t, found, 1)
	assert.Equal(t, "text.form", found[0].Rule)
	assert.Equal(t, where, found[0].Where)
}

type (
	hidingDescription struct {
		Text string "json:\"text\" jsonschema:\"description=a\u200bb\""
	}
	hidingName struct {
		Text string "json:\"te\u200bxt\""
	}
	hidingEnum struct {
		Text string "json:\"text\" jsonschema:\"enum=a,enum=b\u202ec\""
	}
)

func TestThreat116_TextsOfATypeHideNothing(t *testing.T) {
	t.Parallel()
	assertHidden(t, readingOf[hidingDescription](), "inputSchema hidingDescription.Text")
	assertHidden(t, readingOf[hidingEnum](), "inputSchema hidingEnum.Text")
	assert.Equal(t, []string{"text.form", "text.form"}, mistakes(t, readingOf[hidingName]()), "in properties and in required")
	assertHidden(t, returning[hidingDescription](), "outputSchema hidingDescription.Text")
	assertHidden(t, writing().DryRun(previewAs[noteInput, hidingDescription]()), "dryRun hidingDescription.Text")
}
