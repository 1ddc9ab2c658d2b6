package mcpgo_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// Each kind of odd arguments has one defined answer on the wire, in both eras.
func TestThreat20_OddArgumentsHaveDefinedAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments string // including the comma before it; empty: absent
		rule      string // empty: the call runs
	}{
		"null":                     {`,"arguments":null`, ""},
		"absent":                   {``, ""},
		"an empty object":          {`,"arguments":{}`, ""},
		"an array":                 {`,"arguments":[]`, "schema.type"},
		"a string":                 {`,"arguments":"x"`, "schema.type"},
		"a number":                 {`,"arguments":5`, "schema.type"},
		"false":                    {`,"arguments":false`, "schema.type"},
		"bytes that are not UTF-8": {`,"arguments":{"text":"` + "\xff\xfe" + `"}`, "json.utf8"},
		"half a UTF-8 sequence":    {`,"arguments":{"text":"` + "\xe2\x82" + `"}`, "json.utf8"},
		"a lone high surrogate":    {`,"arguments":{"text":"\ud800"}`, "json.utf8"},
		"a lone low surrogate":     {`,"arguments":{"text":"\udc00 "}`, "json.utf8"},
		"a surrogate in a key":     {`,"arguments":{"\ud800":"x"}`, "json.utf8"},
		"a duplicate key":          {`,"arguments":{"text":"a","text":"b"}`, "json.duplicate"},
		"a key in another case":    {`,"arguments":{"Text":"a"}`, "schema.additionalProperties"},
		"a surrogate pair":         {`,"arguments":{"text":"\ud83d\ude00"}`, ""},
		"an escaped NUL":           {`,"arguments":{"text":"\u0000"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sdktest.EachEra(t, func(t *testing.T, e era) {
				n := &tools{}
				k := newKit(t, []*contract.Tool{n.Optional().MustBuild()})
				meta := ""
				if e == modern {
					var m struct {
						Params struct {
							Meta json.RawMessage `json:"_meta"`
						}
					}
					require.NoError(t, json.Unmarshal(sdktest.Message(t, e, 1, "tools/call", `{}`), &m))
					meta = `,"_meta":` + string(m.Params.Meta)
				}
				body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes.read"` + test.arguments + meta + `}}`
				raw := k.post(e, "", "tools/call", "notes.read", []byte(body))
				if test.rule == "" {
					assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
					assert.EqualValues(t, 1, n.Notes.Load())
					return
				}
				sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
				assert.Equal(t, test.rule, sdktest.Outcome(t, raw).Violations[0].Rule)
				assert.Zero(t, n.Notes.Load())
			})
		})
	}
}
