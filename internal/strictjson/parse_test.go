package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func ExampleParse() {
	tree, err := strictjson.Parse([]byte(`{"amount":9007199254740993,"rate":1.0}`), strictjson.Limits{})
	fmt.Println(tree, err)
	_, err = strictjson.Parse([]byte(`{"pay":{"amount":1,"\u0061mount":9}}`), strictjson.Limits{})
	fmt.Println(err)
	// Output:
	// map[amount:9007199254740993 rate:1] <nil>
	// strictjson: /pay/amount: is given twice
}

func TestParseGivesEachNumberOneValue(t *testing.T) {
	t.Parallel()
	for literal, want := range map[string]any{
		"0": int64(0), "-0": int64(0), "-0.0": int64(0), "0e10": int64(0), "1": int64(1), "1.0": int64(1),
		"1e2": int64(100), "1E+2": int64(100), "10e-1": int64(1), "1.50e1": int64(15), "-7.000": int64(-7),
		"9007199254740993":           int64(9007199254740993),
		"9007199254740993.0":         int64(9007199254740993),
		"9223372036854775807":        int64(math.MaxInt64),
		"-9223372036854775808":       int64(math.MinInt64),
		"9223372036854775808":        uint64(math.MaxInt64) + 1,
		"18446744073709551615":       uint64(math.MaxUint64),
		"1844674407370955161.5e1":    uint64(math.MaxUint64),
		"18446744073709551616":       18446744073709551616.0, // 2^64, exactly
		"100000000000000000000":      1e20,
		"1e20":                       1e20,
		"1e23":                       1e23,
		"123456789012345680000":      123456789012345680000.0, // a double's shortest form
		"2.00000000000000000000001":  int64(2),                // to a double
		"9223372036854775808.5":      uint64(math.MaxInt64) + 1,
		"9007199254740993.5":         int64(9007199254740994),
		"0.1":                        0.1,
		"-2.5":                       -2.5,
		"5e-324":                     5e-324,
		"1.7976931348623157e308":     math.MaxFloat64,
		"0.1000000000000000055511":   0.1,
		"-100000000000000000000.0e0": -1e20,
	} {
		got, err := strictjson.Parse([]byte(literal), strictjson.Limits{})
		require.NoError(t, err, literal)
		assert.Equal(t, want, got, literal)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, rule, pointer string }{
		"nothing":                              {"", strictjson.RuleSyntax, ""},
		"white space":                          {" \n", strictjson.RuleSyntax, ""},
		"two values":                           {`{} {}`, strictjson.RuleSyntax, ""},
		"text after the value":                 {`{"a":1}x`, strictjson.RuleSyntax, ""},
		"a trailing comma":                     {`[1,]`, strictjson.RuleSyntax, ""},
		"an unfinished object":                 {`{"a":1`, strictjson.RuleSyntax, ""},
		"a leading zero":                       {`01`, strictjson.RuleSyntax, ""},
		"a NaN":                                {`NaN`, strictjson.RuleSyntax, ""},
		"a byte order mark":                    {"\uFEFF{}", strictjson.RuleSyntax, ""},
		"a control character in text":          {"{\"a\":\"\x01\"}", strictjson.RuleSyntax, "/a"},
		"a short escape":                       {`{"a":"\u12"}`, strictjson.RuleSyntax, "/a"},
		"a duplicate name":                     {`{"a":1,"a":2}`, strictjson.RuleDuplicate, "/a"},
		"a duplicate name, deep":               {`[{"b":{"a":1,"c":2,"a":1}}]`, strictjson.RuleDuplicate, "/0/b/a"},
		"a duplicate name, written otherwise":  {`{"a/b":1,"a\u002fb":2}`, strictjson.RuleDuplicate, "/a~1b"},
		"invalid UTF-8":                        {"{\"a\":\"\xff\"}", strictjson.RuleUTF8, ""},
		"a surrogate's first half":             {`{"a":"\ud800"}`, strictjson.RuleUTF8, "/a"},
		"a surrogate's second half":            {`["\uDC00"]`, strictjson.RuleUTF8, "/0"},
		"a surrogate's first half, then other": {`["\ud83d\u0041"]`, strictjson.RuleUTF8, "/0"},
		"a number beyond a double":             {`{"n":1e309}`, strictjson.RuleNumber, "/n"},
		"a number below a double":              {`{"n":1e-330}`, strictjson.RuleNumber, "/n"},
		"an absurd exponent":                   {`{"n":1e999999999}`, strictjson.RuleNumber, "/n"},
		"an absurd negative exponent":          {`{"n":[1e-999999999]}`, strictjson.RuleNumber, "/n/0"},
		"zero with an absurd exponent":         {`0e99999999999999999999`, strictjson.RuleNumber, ""},
		"an integer that a double would round": {`123456789012345678901`, strictjson.RuleNumber, ""},
		"a negative one":                       {`-9223372036854775809`, strictjson.RuleNumber, ""},
		"a number of 65 characters":            {strings.Repeat("1", 65), strictjson.RuleNumber, ""},
		"a name of 1025 bytes": {
			`{"a":{"` + strings.Repeat("k", 1025) + `":1}}`, strictjson.RuleName, "/a/" + strings.Repeat("k", 250) + "…",
		},
		"a name of 1025 bytes, escaped": {
			`{"` + strings.Repeat(`\u00e9`, 512) + `k":1}`, strictjson.RuleName, "/" + strings.Repeat("é", 126) + "…",
		},
		"65 levels":      {strings.Repeat("[", 65) + strings.Repeat("]", 65), strictjson.RuleDepth, strings.Repeat("/0", 64)},
		"100 001 values": {"[" + strings.Repeat("1,", 99_999) + "1]", strictjson.RuleSize, "/99999"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree, err := strictjson.Parse([]byte(test.text), strictjson.Limits{})
			var refusal *strictjson.Error
			require.ErrorAs(t, err, &refusal)
			assert.Nil(t, tree)
			assert.Equal(t, test.rule, refusal.Rule)
			assert.Equal(t, test.pointer, refusal.Pointer)
		})
	}
}

func TestParseAcceptsUpToItsLimits(t *testing.T) {
	t.Parallel()
	lim := strictjson.Limits{Depth: 2, Elements: 3, NameLength: 2, NumberLength: 2}
	for _, text := range []string{`[[1]]`, `[1,2]`, `{"a":{"b":12}}`, `{"é":{"\u00e9":12}}`, `"long text is no matter"`} {
		_, err := strictjson.Parse([]byte(text), lim)
		require.NoError(t, err, text)
	}
	for _, text := range []string{`[[[]]]`, `[1,2,3]`, `100`, `{"abc":1}`, `{"a":{"éa":1}}`} {
		_, err := strictjson.Parse([]byte(text), lim)
		require.Error(t, err, text)
	}
	_, err := strictjson.Parse([]byte(`[]`), strictjson.Limits{Depth: -1})
	require.Error(t, err, "a negative limit accepts nothing")
}

func TestErrorsShowNoValueAndNoControlCharacter(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"k":"s3cret","k":"s3cret"}`, `["s3cret" "s3cret"]`, `s3cret`, `{"a":"s3cret\ud800"}`, `"s3cret"s3cret`,
	} {
		_, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "s3cret", text)
	}
	_, err := strictjson.Parse([]byte(`{"\u001b[31m`+strings.Repeat("k", 1000)+`":1e999}`), strictjson.Limits{})
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 400)
	assert.NotContains(t, err.Error(), "\x1b")
}

func TestThreat17_HostileNumbersAndNestsAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a number of 200 000 digits":   strings.Repeat("9", 200_000),
		"a fraction of 200 000 digits": "0." + strings.Repeat("9", 200_000),
		"an exponent of 200 000":       "1e" + strings.Repeat("9", 200_000),
		"a tiny number":                "1e-999999999",
		"a huge number":                "1e999999999",
		"a nest of 10 000":             strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"a nest of objects":            strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
	} {
		start := time.Now()
		_, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		require.Error(t, err, name)
		assert.Less(t, time.Since(start), time.Minute, "%s: far above what it takes, far below what it must not", name)
	}
}

func BenchmarkParse(b *testing.B) {
	data := []byte(`{"to":["anna@example.com","max@example.com"],"subject":"Hello","body":"A text of some ` +
		`words.","priority":3,"rate":0.5,"html":false}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := strictjson.Parse(data, strictjson.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Every accepted text has the value that encoding/json decodes.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,-0,1e3,"x\u00e9"],"b":null,"c":true}`, `1e400`, `{"a":1,"a":2}`, `"\ud800"`, `123456789012345678901`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := strictjson.Parse(data, strictjson.Limits{})
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var want any
		require.NoError(t, decoder.Decode(&want))
		requireSame(t, want, tree)
	})
}

func requireSame(t *testing.T, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case json.Number:
		float, err := strconv.ParseFloat(want.String(), 64)
		require.NoError(t, err)
		switch got := got.(type) {
		case int64:
			require.Equal(t, float, float64(got))
		case uint64:
			require.Equal(t, float, float64(got))
		default:
			require.Equal(t, float, got)
		}
	case []any:
		require.IsType(t, want, got)
		require.Len(t, got, len(want))
		for i := range want {
			requireSame(t, want[i], got.([]any)[i])
		}
	case map[string]any:
		require.IsType(t, want, got)
		require.Len(t, got, len(want))
		for name := range want {
			requireSame(t, want[name], got.(map[string]any)[name])
		}
	default:
		require.Equal(t, want, got)
	}
}
