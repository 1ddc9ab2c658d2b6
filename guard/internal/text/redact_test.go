package text_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/guard/internal/text"
)

// forms lists how Go's packages write a value.
func forms(t require.TestingT, v string) map[string]string {
	asJSON, err := json.Marshal(map[string]string{"token": v})
	require.NoError(t, err)
	nested, err := json.Marshal(string(asJSON))
	require.NoError(t, err)
	r, err := http.NewRequest(http.MethodGet, "http://h", http.NoBody)
	require.NoError(t, err)
	r.SetBasicAuth("anna", v)
	return map[string]string{
		"as it is":               v,
		"%q":                     strconv.Quote(v),
		"%+q":                    strconv.QuoteToASCII(v),
		"%q of %q":               strconv.Quote(strconv.Quote(v)),
		"JSON":                   string(asJSON),
		"JSON in JSON":           string(nested),
		"a query":                "http://h?" + url.Values{"api_key": {v}, "z": {"1"}}.Encode(),
		"a path":                 "http://h/" + url.PathEscape(v) + "/z",
		"a path of a URL":        (&url.URL{Scheme: "http", Host: "h", Path: "/" + v}).String(),
		"user information":       (&url.URL{Scheme: "http", Host: "h", User: url.UserPassword("anna", v)}).String(),
		"a user":                 (&url.URL{Scheme: "http", Host: "h", User: url.User(v)}).String(),
		"an error of a client":   fmt.Sprintf("Get %q: EOF", "http://h?"+url.Values{"k": {v}}.Encode()),
		"a lower-case query":     "k=" + strings.ToLower(url.QueryEscape(v)),
		"basic authentication":   r.Header.Get("Authorization"),
		"hex":                    hex.EncodeToString([]byte(v)),
		"upper-case hex":         strings.ToUpper(hex.EncodeToString([]byte(v))),
		"hex after a digit":      "0" + hex.EncodeToString([]byte(v)),
		"% x":                    fmt.Sprintf("% x", v),
		"%#x":                    fmt.Sprintf("%#x", v),
		"%v of bytes":            fmt.Sprintf("%v", []byte(v)),
		"%#v of bytes":           fmt.Sprintf("%#v", []byte(v)),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(v)),
		"base64 for URLs":        base64.RawURLEncoding.EncodeToString([]byte(v)),
		"base64 of a longer one": base64.StdEncoding.EncodeToString([]byte("ab" + v + "c")),
		"base64 in a query":      url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(v))),
	}
}

// The redacted text has the value in none of its forms.
func TestRedact_FindsAValueInEveryFormThatGoWrites(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"ghp_abc", `p"ä/ 1`, "4-0+x y%41", "\x00\xff<&>", "𝄞clef", "1234", "a\\nb\n"} {
		for name, written := range forms(t, v) {
			if v == "1234" && name == "a lower-case query" {
				continue // the same as a query
			}
			if strings.ContainsRune(v, 0xfffd) || v == "\x00\xff<&>" && strings.Contains(name, "JSON") {
				continue // JSON has no such bytes
			}
			if name == "a lower-case query" && strings.ToLower(v) != v {
				continue // another value
			}
			got := text.Redact("before "+written+" after", []string{v})
			assert.Contains(t, got, "[redacted]", "%q: %s", v, name)
			assert.True(t, strings.HasPrefix(got, "before ") && strings.HasSuffix(got, " after"), got)
			for other, form := range forms(t, v) {
				if other != "base64 of a longer one" && other != "basic authentication" {
					assert.NotContains(t, got, form, "%q: %s", v, name)
				}
			}
		}
	}
}

func TestRedact_FindsAnyValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.StringN(4, 20, -1).Draw(t, "value")
		for name, written := range forms(t, v) {
			if name == "a lower-case query" {
				continue
			}
			got := text.Redact(written, []string{v})
			if !strings.Contains(got, "[redacted]") {
				t.Fatalf("%s: %q is left in %q", name, v, got)
			}
		}
	})
}

// A short value is part of many words, and its hexadecimal form part of many
// numbers.
func TestRedact_FindsShortValuesWhereThatIsSensible(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"the PIN 471 is wrong":   "the PIN [redacted] is wrong",
		`{"pin":"471"}`:          `{"pin":"[redacted]"}`,
		"http://h?pin=471&a=1":   "http://h?pin=[redacted]&a=1",
		"%34%37%31":              "[redacted]",
		"a471b":                  "a[redacted]b",
		"[52 55 49]":             "[[redacted]]",
		"343731":                 "343731",
		"NDcx":                   "NDcx",
		"[51 52 55 49]":          "[51 52 55 49]",
		"DE, \"DE\", DE1, MODEL": `[redacted], "[redacted]", DE1, MODEL`,
		"country=DE&x=%44E":      "country=[redacted]&x=[redacted]",
		"äDE and DEä":            "äDE and DEä",
		"4445, [68 69], REU=":    "4445, [[redacted]], REU=",
	} {
		assert.Equal(t, want, text.Redact(given, []string{"471", "DE"}))
	}
	assert.Equal(t, "x[redacted]5", text.Redact("x12345", []string{"1234"}))
}

func TestRedact_LeavesOtherTextsAlone(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{
		"parse error at 1:4", `100% of "a\b" + 7`, "deadbeef cafe 0x00", "[1 2 3]", "%zz %", `\u12 \`, "", "aGVsbG8gd29ybGQ=", `\ud800`,
	} {
		assert.Equal(t, plain, text.Redact(plain, []string{"hunter2", "correct horse"}))
	}
}

func TestRedact_BoundsItsWork(t *testing.T) {
	t.Parallel()
	values := make([]string, 64)
	for i := range values {
		values[i] = fmt.Sprintf("value %d", i)
	}
	assert.Equal(t, "[redacted]", text.Redact(strings.Repeat("x", 17<<10), values), "the text and the values together")
	assert.Equal(t, "x", text.Redact("x", values))
}

func TestRedact_FindsWhatGoPrintsForOtherTypes(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "at [redacted]", text.Redact("at 2024-05-06 07:08:09 +0000 UTC", []string{"2024-05-06T07:08:09Z"}))
	assert.Equal(t, "[redacted] of 1", text.Redact("2.500000 of 1", []string{"2.5"}))
	assert.Equal(t, "bytes [[redacted]]", text.Redact("bytes [1 2]", []string{"AQI="}))
}

func TestRedact_HidesOverlapsAndTooMuch(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "aba", text.Redact("aba", nil))
	assert.Equal(t, "aba", text.Redact("aba", []string{""}))
	assert.Equal(t, "[redacted]c", text.Redact("abababc", []string{"abab"}), "occurrences overlap")
	assert.Equal(t, "[redacted]", text.Redact(strings.Repeat("x", 64<<10+1), []string{"y"}), "the text is too long to search")
	assert.Equal(t, "[redacted]", text.Redact("x", make([]string, 1001)), "there are too many values to search for")
	assert.Equal(t, "x", text.Redact("x", make([]string, 1000)))
}

// A caller chooses the value and often the text. Occurrences that overlap must
// not cost the square of the length.
func TestRedact_IsFastHoweverOftenAValueOccurs(t *testing.T) {
	t.Parallel()
	const length = 64 << 10
	repeat := strings.Repeat
	for name, of := range map[string]func(i int) (value, text string){
		"a letter":            func(i int) (string, string) { return repeat("a", length/2-i), repeat("a", length) },
		"two letters":         func(i int) (string, string) { return repeat("ab", length/4-i), repeat("ab", length/2) },
		"base64 of one byte":  func(i int) (string, string) { return repeat("A", length/2-4*i), repeat("A", length) },
		"hexadecimal of zero": func(i int) (string, string) { return repeat("\x00", length/4-i), repeat("00", length/2) },
	} {
		t.Run(name, func(t *testing.T) {
			var values []string
			written := ""
			for i := range 16 {
				var v string
				v, written = of(i)
				values = append(values, v)
			}
			begin := time.Now()
			assert.Equal(t, "[redacted]", text.Redact(written, values))
			assert.Less(t, time.Since(begin), 10*time.Second)
		})
	}
}
