package docs_test

import (
	"encoding"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

var (
	glossaryTerm   = regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\* \|`)
	glossaryValues = regexp.MustCompile("(?m)^\\| `([a-z]+\\.[A-Z]\\w+)` \\| ([^|]+) \\|")
)

func TestGlossary_HasEachTermOnceInOrder(t *testing.T) {
	t.Parallel()
	var terms []string
	for _, m := range glossaryTerm.FindAllStringSubmatch(read(t, "docs/glossary.md"), -1) {
		terms = append(terms, m[1])
	}
	assert.Greater(t, len(terms), 30)
	assert.Equal(t, slices.Compact(slices.Sorted(slices.Values(terms))), terms)
}

// The glossary has the words of each type of a contract and of an outcome, as
// the code writes them, and no others.
func TestGlossary_HasTheWordsOfTheCode(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, typ := range []reflect.Type{reflect.TypeFor[contract.Document](), reflect.TypeFor[contract.Outcome]()} {
		wordsBelow(typ, want, map[reflect.Type]bool{})
	}
	require.Greater(t, len(want), 10)
	got := map[string]string{}
	for _, m := range glossaryValues.FindAllStringSubmatch(read(t, "docs/glossary.md"), -1) {
		assert.Empty(t, got[m[1]], "%s stands twice", m[1])
		got[m[1]] = m[2]
	}
	assert.Equal(t, want, got)
}

// wordsBelow adds the words of each type of words that a type is made of.
func wordsBelow(typ reflect.Type, all map[string]string, seen map[reflect.Type]bool) {
	if seen[typ] {
		return
	}
	seen[typ] = true
	if typ.Kind() == reflect.Struct {
		for field := range typ.Fields() {
			wordsBelow(field.Type, all, seen)
		}
	}
	if slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, typ.Kind()) {
		wordsBelow(typ.Elem(), all, seen)
	}
	if typ.Kind() != reflect.Uint8 || !typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return
	}
	var found []string
	for n := uint64(1); ; n++ {
		v := reflect.New(typ).Elem()
		v.SetUint(n)
		marshaler, _ := reflect.TypeAssert[encoding.TextMarshaler](v)
		text, err := marshaler.MarshalText()
		if err != nil {
			break
		}
		found = append(found, "`"+string(text)+"`")
	}
	all[typ.String()] = strings.Join(found, ", ")
}
