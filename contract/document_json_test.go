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

func TestDocument_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]buildable{"a full contract": full(), "a small one": reading()} {
		d := build(t, b).Document()
		data, err := json.Marshal(d)
		require.NoError(t, err, name)

		strict, err := contract.ParseDocument(data)
		require.NoError(t, err, name)
		assert.Equal(t, d, strict, name)
		var lenient contract.Document
		require.NoError(t, json.Unmarshal(data, &lenient), name)
		assert.Equal(t, d, lenient, name)
	}
}

func TestDocumentUnmarshal_PreservesUnknownMembers(t *testing.T) {
	t.Parallel()
	text := `{"zeal":{"b":1,"a":[null,9007199254740993]},"format":2,"name":"notes.read","autonomous":false,"Risk":"low","alpha":"x"}`
	var d contract.Document
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	assert.Equal(t, 2, d.Format)
	assert.Equal(t, "notes.read", d.Name)
	assert.Zero(t, d.Risk, "a name in another case is another name")
	assert.Equal(t, map[string]json.RawMessage{
		"zeal": json.RawMessage(`{"b":1,"a":[null,9007199254740993]}`), "Risk": json.RawMessage(`"low"`),
		"alpha": json.RawMessage(`"x"`),
	}, d.Unknown)

	data, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Equal(t, `{"format":2,"name":"notes.read","autonomous":false,"Risk":"low","alpha":"x","zeal":{"b":1,`+
		`"a":[null,9007199254740993]}}`, string(data), "known members in their order, then the unknown sorted")
	assert.JSONEq(t, text, string(data))
}

func TestDocumentUnmarshal_ReplacesTheWhole(t *testing.T) {
	t.Parallel()
	d := build(t, full()).Document()
	d.Unknown = map[string]json.RawMessage{"later": json.RawMessage(`1`)}
	require.NoError(t, json.Unmarshal([]byte(`{"format":1,"name":"a.b"}`), &d))
	assert.Equal(t, contract.Document{Format: 1, Name: "a.b"}, d)
}

func TestDocumentUnmarshal_NamesInAnotherCaseDoNotStandIn(t *testing.T) {
	t.Parallel()
	var d contract.Document
	require.NoError(t, json.Unmarshal([]byte(`{"format":1,"name":"a.b","risk":"critical","RISK":"low","contenttrust":"trusted",`+
		`"Autonomous":true,"CONFIRMATION":"never"}`), &d))
	assert.Equal(t, risk.Critical, d.Risk)
	assert.Zero(t, d.ContentTrust)
	assert.False(t, d.Autonomous)
	assert.Zero(t, d.Confirmation)
	assert.Len(t, d.Unknown, 4)
}

// broken returns documents that every reader refuses.
func broken() map[string]string {
	return map[string]string{
		"an array":                 `[]`,
		"a text":                   `"x"`,
		"null":                     `null`,
		"nothing":                  ``,
		"half an object":           `{"format":1`,
		"two objects":              `{"format":1}{}`,
		"an unknown risk":          `{"format":1,"risk":"severe"}`,
		"an undeclared risk":       `{"format":1,"risk":"undeclared"}`,
		"an empty risk":            `{"format":1,"risk":""}`,
		"a risk in another case":   `{"format":1,"risk":"Low"}`,
		"an unknown effect":        `{"format":1,"effect":"none"}`,
		"an unknown trust":         `{"format":1,"contentTrust":"full"}`,
		"an unknown confirmation":  `{"format":1,"confirmation":"ask"}`,
		"an unknown dry run":       `{"format":1,"dryRun":true}`,
		"an unknown mode":          `{"format":1,"idempotency":{"mode":"auto"}}`,
		"an idempotency of none":   `{"format":1,"idempotency":{}}`,
		"a failure without class":  `{"format":1,"failureModes":[{"code":"a","by":"tool"}]}`,
		"a failure without by":     `{"format":1,"failureModes":[{"code":"a","class":"fatal"}]}`,
		"an unknown reach":         `{"format":1,"sideEffects":[{"description":"a","reach":"global"}]}`,
		"a security level of 300":  `{"format":1,"securityLevel":300}`,
		"a negative level":         `{"format":1,"securityLevel":-1}`,
		"permissions in one text":  `{"format":1,"permissions":"a,b"}`,
		"a timeout in words":       `{"format":1,"timeoutMs":"5s"}`,
		"a format in words":        `{"format":"1"}`,
		"metadata that is a list":  `{"format":1,"metadata":[]}`,
		"an autonomy that is text": `{"format":1,"autonomous":"true"}`,
	}
}

func TestDocument_RefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for name, text := range broken() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := contract.Document{Name: "a.b", Unknown: map[string]json.RawMessage{"x": json.RawMessage(`1`)}}
			d := before.Clone()
			require.Error(t, d.UnmarshalJSON([]byte(text)))
			assert.Equal(t, before, d, "an error leaves the document as it was")

			parsed, err := contract.ParseDocument([]byte(text))
			require.Error(t, err)
			assert.Equal(t, contract.Document{}, parsed)
			assert.NotContains(t, err.Error(), "severe", "an error holds no value")
		})
	}
}

func TestParseDocument_IsStrictWhereUnmarshalIsNot(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(build(t, full()))
	require.NoError(t, err)
	with := func(member string) string { return "{" + member + "," + strings.TrimPrefix(string(data), "{") }
	for name, text := range map[string]string{
		"an unknown member":                with(`"later":1`),
		"a member in another case":         with(`"Risk":"low"`),
		"a name twice":                     with(`"name":"a.b"`),
		"a name twice, once escaped":       with(`"n\u0061me":"a.b"`),
		"an unknown member of a clause":    strings.Replace(string(data), `"since":`, `"later":1,"since":`, 1),
		"another format":                   strings.Replace(string(data), `"format":1`, `"format":2`, 1),
		"no format":                        strings.Replace(string(data), `"format":1,`, ``, 1),
		"text that is not UTF-8":           strings.Replace(string(data), `"Keep"`, "\"K\xffeep\"", 1),
		"a key of metadata twice":          strings.Replace(string(data), `"team":`, `"team":1,"team":`, 1),
		"an unknown member of a rate":      strings.Replace(string(data), `"calls":`, `"Calls":1,"calls":`, 1),
		"an unknown member of a side":      strings.Replace(string(data), `"affects":`, `"where":"","affects":`, 1),
		"an unknown member of a failure":   strings.Replace(string(data), `"code":`, `"id":1,"code":`, 1),
		"something behind the end":         string(data) + `null`,
		"an unknown member of idempotency": strings.Replace(string(data), `"mode":`, `"modus":1,"mode":`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NotEqual(t, string(data), text, "the test changes nothing")
			_, err := contract.ParseDocument([]byte(text))
			assert.Error(t, err)
		})
	}
}

// FuzzDocument checks that every document that can be read can be written, and
// that reading and writing it once more changes nothing. A strict reader must
// agree with the lenient one.
func FuzzDocument(f *testing.F) {
	data, err := json.Marshal(full().MustBuild())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format":2,"name":"a.b","later":{"x":[1e400,"\ud800"]},"RISK":"low","metadata":{"n":1e21,"m":-0.0}}`))
	f.Add([]byte(`{"format":1,"inputSchema":null,"outputSchema":true,"metadata":null,"permissions":[]}`))
	for _, text := range broken() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var read contract.Document
		if json.Unmarshal(data, &read) != nil {
			return
		}
		first, err := json.Marshal(read)
		require.NoError(t, err)
		var again contract.Document
		require.NoError(t, json.Unmarshal(first, &again))
		second, err := json.Marshal(again)
		require.NoError(t, err)
		assert.Equal(t, string(first), string(second))

		strict, err := contract.ParseDocument(data)
		if err != nil {
			return
		}
		require.Empty(t, read.Unknown)
		third, err := json.Marshal(strict)
		require.NoError(t, err)
		assert.JSONEq(t, string(first), string(third))
	})
}
