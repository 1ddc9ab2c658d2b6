package strictjson_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func ExampleCanonical() {
	for _, text := range []string{`{"b": 1.0, "a": "\u00e9"}`, `{"a":"é","b":10e-1}`} {
		data, err := strictjson.Canonical([]byte(text))
		fmt.Println(string(data), err)
	}
	// Output:
	// {"a":"é","b":1} <nil>
	// {"a":"é","b":1} <nil>
}

// The examples of RFC 8785: appendix B for numbers, section 3.2.3 for the order
// of names.
func TestCanonicalIsTheFormOfTheRFC(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`-0`:                     `0`,
		`5e-324`:                 `5e-324`,
		`1.7976931348623157e308`: `1.7976931348623157e+308`,
		`0.000001`:               `0.000001`,
		`0.0000001`:              `1e-7`,
		`333333333.33333329`:     `333333333.3333333`,
		`1e21`:                   `1e+21`,
		`1000000000000000000000`: `1e+21`,
		`999999999999999900000`:  `999999999999999900000`,
		`4.50`:                   `4.5`,
		`2e-3`:                   `0.002`,
		`"\u20ac$\u000F\nA'\u0042\u0022\u005c\\\"\/"`: "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"",
		`"<script>\u2028"`:                            "\"<script>\u2028\"",
		`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,` +
			`"\u00f6":7}`: "{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		` [ ] `:         `[]`,
		`{ "a" : { } }`: `{"a":{}}`,
	} {
		got, err := strictjson.Canonical([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, string(got))
	}
}

func TestThreat16_IntegersStayExact(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`9007199254740992`, `9007199254740993`, `-9007199254740993`, `18446744073709551615`} {
		got, err := strictjson.Canonical([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
}

func TestMarshalRefusesWhatIsNoTree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tree          any
		rule, pointer string
	}{
		"a NaN":                    {[]any{math.NaN()}, strictjson.RuleValue, "/0"},
		"an infinity":              {map[string]any{"a/b": math.Inf(-1)}, strictjson.RuleValue, "/a~1b"},
		"another Go type":          {map[string]any{"a": []any{nil, 1}}, strictjson.RuleValue, "/a/1"},
		"a struct":                 {struct{}{}, strictjson.RuleValue, ""},
		"text that is not UTF-8":   {[]any{"\xff"}, strictjson.RuleUTF8, "/0"},
		"a name that is not UTF-8": {map[string]any{"\xff": nil}, strictjson.RuleUTF8, "/\uFFFD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := strictjson.Marshal(test.tree)
			var refusal *strictjson.Error
			require.ErrorAs(t, err, &refusal)
			assert.Nil(t, data)
			assert.Equal(t, test.rule, refusal.Rule)
			assert.Equal(t, test.pointer, refusal.Pointer)
		})
	}
}

func TestMarshalWritesEveryKind(t *testing.T) {
	t.Parallel()
	data, err := strictjson.Marshal(map[string]any{
		"z": nil, "y": true, "x": "t", "w": int64(-1), "v": uint64(math.MaxUint64), "u": 1.5, "t": []any{}, "s": 100.0,
		"q": 9223372036854775808.0, "p": -9223372036854775808.0, "o": 18446744073709551616.0, "r": math.Copysign(0, -1),
	})
	require.NoError(t, err)
	assert.Equal(t, `{"o":18446744073709552000,"p":-9223372036854775808,"q":9223372036854775808,"r":0,"s":100,"t":[],`+
		`"u":1.5,"v":18446744073709551615,"w":-1,"x":"t","y":true,"z":null}`, string(data))
}

// Canonical text is its own canonical form, and has the value it was made of.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":1.0,"a":[1e2,-0,"\u00e9"]}`, `{"\ud83d\ude00":1,"\ufb33":2}`, `1e20`, `100000000000000000000`, `1.7976931348623157e308`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := strictjson.Parse(data, strictjson.Limits{})
		if err != nil {
			return
		}
		once, err := strictjson.Marshal(tree)
		require.NoError(t, err)
		again, err := strictjson.Parse(once, strictjson.Limits{})
		require.NoError(t, err)
		require.Equal(t, tree, again)
		twice, err := strictjson.Canonical(once)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}
