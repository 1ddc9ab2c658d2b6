package strictjson_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

func ExamplePointer() {
	pointer := strictjson.PointerIndex(strictjson.Pointer("", "to", "a/b"), 0)
	fmt.Println(pointer)
	tokens, err := strictjson.SplitPointer(pointer)
	fmt.Println(tokens, err)
	// Output:
	// /to/a~1b/0
	// [to a/b 0] <nil>
}

// The document and pointers of RFC 6901, section 5.
func TestLookupFollowsTheExamplesOfTheRFC(t *testing.T) {
	t.Parallel()
	tree := map[string]any{
		"foo": []any{"bar", "baz"}, "": int64(0), "a/b": int64(1), "c%d": int64(2), "e^f": int64(3),
		"g|h": int64(4), `i\j`: int64(5), `k"l`: int64(6), " ": int64(7), "m~n": int64(8),
	}
	for pointer, want := range map[string]any{
		"": tree, "/foo": tree["foo"], "/foo/0": "bar", "/": int64(0), "/a~1b": int64(1), "/c%d": int64(2),
		"/e^f": int64(3), "/g|h": int64(4), `/i\j`: int64(5), `/k"l`: int64(6), "/ ": int64(7), "/m~0n": int64(8),
	} {
		got, err := strictjson.Lookup(tree, pointer)
		require.NoError(t, err, pointer)
		assert.Equal(t, want, got, pointer)
	}
}

func TestLookupRefusesWhatLeadsNowhere(t *testing.T) {
	t.Parallel()
	tree := map[string]any{"list": []any{"x", "y"}, "leaf": "text"}
	for name, test := range map[string]struct {
		pointer string
		want    error
	}{
		"an absent member":                {"/none", strictjson.ErrNotFound},
		"an index past the end":           {"/list/2", strictjson.ErrNotFound},
		"the place after the end":         {"/list/-", strictjson.ErrNotFound},
		"an index with a leading zero":    {"/list/00", strictjson.ErrNotFound},
		"a signed index":                  {"/list/+1", strictjson.ErrNotFound},
		"an empty index":                  {"/list/", strictjson.ErrNotFound},
		"an index beyond every int":       {"/list/99999999999999999999", strictjson.ErrNotFound},
		"a member of text":                {"/leaf/0", strictjson.ErrNotFound},
		"a pointer without a slash":       {"list", strictjson.ErrNotPointer},
		"a tilde at the end":              {"/a~", strictjson.ErrNotPointer},
		"a tilde before another letter":   {"/a~2", strictjson.ErrNotPointer},
		"a tilde at the end of one token": {"/a~/b", strictjson.ErrNotPointer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Lookup(tree, test.pointer)
			assert.ErrorIs(t, err, test.want)
		})
	}
}

func TestPrintablePointerShowsNoStrangersControls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ pointer, want string }{
		"a plain pointer":        {"/to/0", "/to/0"},
		"an escape sequence":     {"/a\x1b[31m", "/a\uFFFD[31m"},
		"a line break":           {"/a\r\nb", "/a\uFFFD\uFFFDb"},
		"a bidirectional switch": {"/a\u202eb", "/a\uFFFDb"},
		"invalid UTF-8":          {"/a\xffb", "/a\uFFFDb"},
		"another script":         {"/名前", "/名前"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, strictjson.PrintablePointer(test.pointer))
		})
	}
	long := strictjson.PrintablePointer("/" + strings.Repeat("é", 10_000))
	assert.LessOrEqual(t, len(long), strictjson.MaxPrintablePointer)
	assert.True(t, strings.HasSuffix(long, "…"))
	assert.True(t, utf8.ValidString(long))
}

func FuzzPointer(f *testing.F) {
	f.Add("a/b", "~1")
	f.Add("", "~")
	f.Fuzz(func(t *testing.T, first, second string) {
		tokens, err := strictjson.SplitPointer(strictjson.Pointer("", first, second))
		require.NoError(t, err)
		require.Equal(t, []string{first, second}, tokens)
	})
}
