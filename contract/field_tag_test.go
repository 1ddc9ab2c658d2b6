package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/risk"
)

type (
	keyWord struct {
		Text string `json:"text" contract:"idempotency-key"`
	}
	twoKeys struct {
		A string `json:"a" contract:"idempotency-key"`
		B string `json:"b" contract:"idempotency-key"`
	}
	exposedWord struct {
		Text string `json:"text" contract:"expose"`
	}
	secretWord struct {
		Text string `json:"text" contract:"secret"`
	}
)

func TestFieldTags_NameTheKeyOfAManagedTool(t *testing.T) {
	t.Parallel()
	managed := contract.Idempotency{Mode: idempotency.Managed}
	_, err := readingOf[keyWord]().Idempotency(managed).Build()
	require.NoError(t, err)
	for name, b := range map[string]buildable{
		"a key below the input": readingOf[innerTags[keyWord]]().Idempotency(managed),
		"two keys":              readingOf[twoKeys]().Idempotency(managed),
		"a key in a result":     returning[keyWord](),
		"a secret in a result":  returning[secretWord](),
	} {
		assert.Equal(t, []string{"field.tag"}, mistakes(t, b), name)
	}
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

func TestRestricted_PublishesAndReturnsOnlyExposedFields(t *testing.T) {
	t.Parallel()
	b := complete(contract.New("keys.describe",
		handler[noteInput, restrictedOutput])).Risk(risk.Restricted).Effect(risk.ReadOnly).Permissions("keys:describe")
	tool := build(t, b)
	var published any
	require.NoError(t, json.Unmarshal(tool.Document().OutputSchema, &published))
	names := map[string]bool{}
	properties(published, names)
	assert.Equal(t, map[string]bool{"id": true, "part": true, "parts": true, "byName": true, "raw": true, "name": true}, names)

	built := bound.Of(tool)
	raw, tree, err := built.Encode(restrictedOutput{
		ID: "1", Secret: "s", Part: restrictedPart{"n", "k"}, Parts: []restrictedPart{{"m", "k"}},
		ByName: map[string]restrictedOne{"one": {"k"}}, Hidden: restrictedPart{"h", "k"}, Raw: json.RawMessage(`{"any":1}`),
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"1","part":{"name":"n"},"parts":[{"name":"m"}],"byName":{"one":{}},"raw":{"any":1}}`, string(raw))
	assert.Empty(t, built.Facts().OutputSchema.Validate(tree), "the result satisfies the published schema")
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
