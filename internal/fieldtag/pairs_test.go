package fieldtag_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/fieldtag"
)

func TestPairs_ReadsAllPairsOrReportsTheMistake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tag string
		want      []fieldtag.Pair
		message   string
	}{
		{"an empty tag has no pairs", ``, nil, ""},
		{"blanks alone are no pairs", `   `, nil, ""},
		{"pairs keep their order", `b:"1" a:"2"`, []fieldtag.Pair{{"b", "1"}, {"a", "2"}}, ""},
		{"blanks around pairs do not matter", `  a:"1"   b:"2" `, []fieldtag.Pair{{"a", "1"}, {"b", "2"}}, ""},
		{"a value may be empty", `a:""`, []fieldtag.Pair{{"a", ""}}, ""},
		{"a value is a Go string", `a:"\"x\" \u00e9\n"`, []fieldtag.Pair{{"a", "\"x\" é\n"}}, ""},
		{"a key may be any word", `a.b-c/d:"1"`, []fieldtag.Pair{{"a.b-c/d", "1"}}, ""},
		{"a key has a value", `a`, nil, `a struct tag is a list of key:"value" pairs separated by spaces`},
		{"a key stands before the colon", `:"1"`, nil, `a struct tag is a list of key:"value" pairs separated by spaces`},
		{"no blank stands after the colon", `a: "1"`, nil, `a struct tag is a list of key:"value" pairs separated by spaces`},
		{"no tab stands between pairs", "a:\"1\"\tb:\"2\"", nil, "a space is missing after the value of a"},
		{"a value is quoted", `a:1`, nil, `a struct tag is a list of key:"value" pairs separated by spaces`},
		{"a value is not quoted with backquotes", "a:`1`", nil, `a struct tag is a list of key:"value" pairs separated by spaces`},
		{"a quote ends", `a:"1`, nil, "the value of a is not a quoted string"},
		{"an escape is known", `a:"\z"`, nil, "the value of a is not a quoted string"},
		{"a line break is escaped", "a:\"1\n2\"", nil, "the value of a is not a quoted string"},
		{"a space stands between pairs", `a:"1"b:"2"`, nil, "a space is missing after the value of a"},
		{"a key stands once", `a:"1" a:"2"`, []fieldtag.Pair{{"a", "1"}}, "the key a stands twice"},
		{"what was read stays when the rest is broken", `a:"1" b`, []fieldtag.Pair{{"a", "1"}},
			`a struct tag is a list of key:"value" ` +
				`pairs separated by spaces`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pairs, message := fieldtag.Pairs(c.tag)
			assert.Equal(t, c.want, pairs)
			assert.Equal(t, c.message, message)
		})
	}
}

// FuzzPairs checks that reflect reads the same value for each pair.
func FuzzPairs(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `a:"1"`, `a:"1" b:"2"`, `a:"1"b:"2"`, `a:"1" a:"2"`, `a:"\"" b:"\\"`, `a:"\z"`, "a:\"\t\"", "a:`1`", `:"1"`,
		`name:"notes.read" metadata:"{\"a\":1}"`, "\xff:\"1\"", "a\x7fb:\"1\"", "a:\"\xff\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		pairs, _ := fieldtag.Pairs(tag)
		for _, p := range pairs {
			value, ok := reflect.StructTag(tag).Lookup(p.Key)
			assert.True(t, ok, "reflect does not find %q", p.Key)
			assert.Equal(t, value, p.Value, "%q", p.Key)
		}
	})
}
