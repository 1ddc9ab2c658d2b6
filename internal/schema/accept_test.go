package schema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// slow is the slow path that Check must agree with. ok is false if the text
// can't be read.
func slow(s *schema.Schema, text []byte) (canonical []byte, violations []schema.Violation, ok bool) {
	tree, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		return nil, nil, false
	}
	tree, _ = s.Fill(tree)
	if violations = s.Validate(tree); len(violations) > 0 {
		return nil, violations, true
	}
	canonical, err = strictjson.Marshal(tree)
	return canonical, nil, err == nil
}

// A verdict is Check's decision about a text.
type verdict struct{ accepted, worded, left, leftBroken bool }

// checkAgrees fails if Check accepts a text that doesn't fit, writes it in
// another form than the slow path, or words its violations differently.
func checkAgrees(t require.TestingT, s *schema.Schema, text string) verdict {
	if canonical, ok := scan.Canonical([]byte(text)); ok {
		want, err := strictjson.Canonical([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, string(want), string(canonical), text)
	}
	canonical, violations, ok := s.Check([]byte(text))
	want, broken, readable := slow(s, []byte(text))
	accepted, took := s.Accept([]byte(text))
	require.Equal(t, ok && len(violations) == 0, took, text)
	require.Equal(t, took, s.Fits([]byte(text)), text)
	if !ok {
		return verdict{left: true, leftBroken: len(broken) > 0}
	}
	require.True(t, readable, "decided, and is no JSON: %s\n%s", text, s.JSON())
	require.Equal(t, broken, violations, "%s\n%s", text, s.JSON())
	require.Equal(t, string(want), string(canonical), "%s\n%s", text, s.JSON())
	require.Equal(t, string(canonical), string(accepted))
	return verdict{accepted: took, worded: !took}
}

func checkAccept(t *testing.T, s *schema.Schema, text string) (accepted bool) {
	t.Helper()
	return checkAgrees(t, s, text).accepted
}

// variants returns other texts of the same value, and of nearly the same value.
func variants(text string) []string {
	var spaced bytes.Buffer
	if json.Indent(&spaced, []byte(text), "\r", "\t ") != nil {
		spaced.WriteString(text)
	}
	return []string{
		text, " \t" + spaced.String() + "\r\n",
		strings.ReplaceAll(text, "a", `\u0061`), strings.ReplaceAll(text, "1", "1.0"), strings.ReplaceAll(text, "1", "10e-1"),
		strings.ReplaceAll(text, "0", "-0"), strings.ReplaceAll(text, "null", "nullx"), text + "}", text + " 1",
		strings.TrimSuffix(text, "}"),
		strings.ReplaceAll(text, `"`, `""`), strings.ReplaceAll(text, ",", ",,"), strings.ReplaceAll(text, "}", ",}"),
	}
}

// The suite's values go below a member, because the root of a tool's schema is
// an object.
func TestAccept_AgreesWithTheTestSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/suite/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	texts, accepted, valid, worded, left := 0, 0, 0, 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var groups []struct {
			Schema json.RawMessage
			Tests  []struct {
				Data  json.RawMessage
				Valid bool
			}
		}
		require.NoError(t, json.Unmarshal(data, &groups))
		for _, g := range groups {
			for _, form := range []string{
				`{"type":"object","properties":{"v":%},"required":["v"]}`,
				`{"type":"object","properties":{"v":{"type":"array","items":{"anyOf":[%,{"type":"null"}]}}}}`,
			} {
				root := strings.Replace(form, "%", string(g.Schema), 1)
				s, problems := schema.Compile(json.RawMessage(root), schema.CompileOptions{Lenient: true})
				if len(problems) > 0 {
					continue // a keyword or reference that a tool's schema can't have
				}
				for _, c := range g.Tests {
					value := string(c.Data)
					if strings.Contains(form, "items") {
						value = "[null," + value + "]"
					}
					for i, text := range variants(`{"v":` + value + `}`) {
						texts++
						switch v := checkAgrees(t, s, text); {
						case v.accepted:
							accepted++
						case v.worded:
							worded++
						case v.leftBroken:
							left++
						}
						if i == 0 && c.Valid {
							valid++
						}
					}
				}
			}
		}
	}
	t.Logf("%d texts, %d accepted, %d values of the suite that fit; violations of %d worded, of %d left", texts, accepted, valid,
		worded, left)
	assert.Greater(t, accepted, valid*3/4, "the fast path is taken")
	assert.Greater(t, worded, 500, "the fast path is taken")
}

// Concurrent checks write to memory that others have used. They must agree with
// the slow path, which has its own memory, whatever the others read: texts that
// fit, texts refused halfway and texts of any length.
func TestAccept_AgreesWhenTextsAreCheckedAtOnce(t *testing.T) {
	t.Parallel()
	s := compile(t, derivedKeywords)
	texts := variants(`{"when":"2026-01-02T03:04:05Z","name":"abc","tags":["b","a"],"price":10.01,"any":{"z":[1,{"b":0,"a":null}],` +
		`"a":"\u2028"}}`)
	for _, length := range []int{1 << 10, 6 << 10, 7 << 10, 16 << 10} {
		long := strings.Repeat("x", length)
		texts = append(texts,
			`{"when":"2026-01-02T03:04:05Z","any":{"b":"`+long+`","a":"`+long+`"},"name":"abc"}`,
			`{"when":"`+long+`","name":"ABC","any":[`+strings.Repeat(`{"b":1,"a":2},`, length/32)+`"`+long+`\n"]}`,
			`{"when":"2026-01-02T03:04:05Z","name":"abc","any":["`+long+`",`)
	}
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range texts {
				checkAgrees(workerT{t}, s, texts[(i*(2*worker+1)+worker)%len(texts)])
			}
		})
	}
	group.Wait()
}

// A workerT is a test whose goroutine continues after a failure, because
// only the test's own goroutine may end it.
type workerT struct{ *testing.T }

func (workerT) FailNow() {}

// derivedKeywords is a schema with every keyword that Go types derive.
const derivedKeywords = `{"type":"object","additionalProperties":false,"required":["name","when"],"properties":{
	"name":{"type":"string","minLength":1,"maxLength":8,"pattern":"^[a-zé]+$"},
	"when":{"type":"string","format":"date-time"},"day":{"type":"string","format":"date"},"mail":{"type":"string","format":"email"},
	"id":{"type":"string","format":"uuid"},"at":{"type":"string","format":"uri"},"ip":{"type":"string","format":"ipv4"},
	"count":{"type":"integer","minimum":1,"maximum":5,"default":2,"format":"int32"},
	"price":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1000.5,"multipleOf":0.01},
	"step":{"type":"integer","multipleOf":3},"flag":{"type":"boolean","default":true},
	"color":{"type":"string","enum":["red","green"]},"kind":{"const":"a"},"mixed":{"enum":[1,"1",null,1.5,{"a":[1]}]},
	"tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,"uniqueItems":true},
	"maybe":{"description":"x","anyOf":[{"type":"integer","minimum":3},{"type":"null"}]},
	"counts":{"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2},
	"open":{"type":"object","properties":{"b":{"type":"string","default":"x"}}},
	"tree":{"$ref":"#/$defs/tree"},"either":{"oneOf":[{"type":"string"},{"type":"integer"}]},"any":true
	},"$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"size":{"type":"integer","default":7}}}}}`

func TestAccept_KnowsTheKeywordsOfGoTypes(t *testing.T) {
	t.Parallel()
	s, problems := schema.Compile(json.RawMessage(derivedKeywords), schema.CompileOptions{})
	require.Empty(t, problems)
	const base = `"name":"ann","when":"2026-11-22T10:00:00Z"`
	for _, text := range []string{
		`{` + base + `}`, `{"when":"2026-11-22T10:00:00Z","name":"ann"}`, "{\"name\":\"\\u0061\\u00e9\", " +
			"\"when\":\"2026-11-22T10:00:00+02:00\"}",
		`{` + base + `,"count":5,"price":19.99,"step":-9,"flag":false,"color":"green","kind":"a","mixed":{"a":[1.0]}}`,
		`{` + base + `,"day":"2026-02-28","mail":"a@example.com","id":"123e4567-e89b-12d3-a456-426614174000",` +
			`"at":"https://a.example/x?y","ip":"127.0.0.1"}`,
		`{` + base + `,"tags":["b","a"],"maybe":null,"counts":{"z":1,"a":2},"open":{"c":{"d":[]},"a":1},"any":{"x":[{"y":1e2}]}}`,
		`{` + base + `,"tree":{"kids":[{"kids":[]},{"size":1}]},"either":3,"maybe":3.0}`,
	} {
		for i, variant := range variants(text) {
			if checkAccept(t, s, variant) || i > 1 {
				continue
			}
			assert.Fail(t, "not accepted", variant)
		}
	}
	for _, text := range []string{
		``, `null`, `[]`, `{`, `{}`, `{` + base + `,"name":"bob"}`, `{` + base + `,"other":1}`, `{` + base + `,"count":6}`,
		`{` + base + `,"count":1.5}`,
		`{` + base + `,"tags":["a","a"]}`, `{` + base + `,"tags":[]}`, `{` + base + `,"price":0.001}`, `{` + base + `,"step":4}`,
		`{` + base + `,"kind":"b"}`,
		`{` + base + `,"day":"2026-02-30"}`, `{` + base + `,"counts":{}}`, `{` + base + `,"counts":{"a":1,"a":1}}`,
		`{` + base + `,"counts":{"a":1,"b":1,"c":1}}`,
		`{` + base + `,"tree":{"kids":[{"size":"1"}]}}`, `{` + base + `,"either":true}`, `{"name":"` + "\xff" +
			`","when":"2026-11-22T10:00:00Z"}`,
		`{"name":"\ud800","when":"2026-11-22T10:00:00Z"}`, `{` + base + `,"any":{"a":1,"a":2}}`, `{` + base + `,"any":[01]}`,
		`{` + base + `,"any":1e999}`,
		`{` + base + `,"any":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`, `{` + base + `} {}`,
		`{` + base + `,"maybe":2}`,
	} {
		_, ok := s.Accept([]byte(text))
		assert.False(t, ok, text)
		_, violations, ok := slow(s, []byte(text))
		assert.True(t, !ok || len(violations) > 0, text)
	}
}

func TestAccept_BoundsTheNumberOfNulls(t *testing.T) {
	t.Parallel()
	s := compile(t, `{"type":"object","properties":{"v":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}}`)
	most := strictjson.DefaultElements - 2 // beside the object and the list
	list := func(n int) string { return `{"v":[` + strings.TrimSuffix(strings.Repeat("null,", n), ",") + `]}` }
	assert.True(t, checkAccept(t, s, list(most)))
	assert.False(t, checkAccept(t, s, list(most+1)))
}

func FuzzAccept(f *testing.F) {
	f.Add(derivedKeywords, `{"name":"ann","when":"2026-11-22T10:00:00Z","counts":{"z":1,"a":2}}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"number","minimum":9007199254740993}}}`,
		`{"a":9007199254740992.5,"b":[1e400,-0.0]}`)
	f.Add(`{"type":"object","maxProperties":3,"additionalProperties":{"type":["integer","null"],"multipleOf":0.1}}`,
		`{"b":null,"a":3,"\n":18446744073709551616}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"string","minLength":2,"default":"ab"},"b":{"type":"array",`+
		`"uniqueItems":true}}}`, `{"b":[1,1.0,"a","\u0061",{"x":1,"y":2},{"y":2,"x":1}]}`)
	f.Fuzz(func(t *testing.T, root, text string) {
		for _, lenient := range []bool{false, true} {
			s, problems := schema.Compile(json.RawMessage(root), schema.CompileOptions{Lenient: lenient})
			if len(problems) > 0 {
				continue
			}
			for _, variant := range variants(text) {
				checkAccept(t, s, variant)
			}
		}
	})
}

// Fractions that are already canonical take a path of their own.
func TestAccept_AgreesAboutFractions(t *testing.T) {
	t.Parallel()
	s, findings := schema.Compile([]byte(`{"type":"object","properties":{"v":{"type":"number","minimum":0,`+
		`"maximum":900719925474099.5}}}`), schema.CompileOptions{})
	require.Empty(t, findings)
	whole := []string{"", "0", "1", "7", "42", "9007199254", "90071992547", "900719925474099", "-1", "-0", "01", "00"}
	parts := []string{"", "0", "1", "5", "25", "250", "000001", "0000001", "123456", "999999999", "99999999999999", "0e1", "5e-1",
		"5E+2", "1.2", "x"}
	accepted := 0
	for _, w := range whole {
		for _, part := range parts {
			if checkAccept(t, s, `{"v":`+w+"."+part+"}") {
				accepted++
			}
		}
	}
	assert.Greater(t, accepted, 20)
}
