package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notAClause has the members of a document that no clause sets.
var notAClause = map[string]string{
	"format":       "it is the version of the wire form",
	"inputSchema":  "it follows from the input type",
	"outputSchema": "it follows from the output type",
}

func TestClauses_SetEveryMemberOfADocumentOnce(t *testing.T) {
	t.Parallel()
	set := map[string]int{}
	for _, c := range clauses {
		for _, member := range c.members {
			set[member]++
		}
	}
	for field := range reflect.TypeFor[Document]().Fields() {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member == "-" {
			continue
		}
		if notAClause[member] == "" {
			assert.Equal(t, 1, set[member], "clauses that set %s: write a file with its clause, and list it in clauses", member)
		}
		delete(set, member)
	}
	assert.Empty(t, set, "these are not members of a document")
}

// withoutKeys has the members that are not declared by keys of a Tags field.
var withoutKeys = []string{"sideEffects", "failureModes"}

func TestClauses_HaveTagKeysThatNoOtherHas(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, c := range clauses {
		if len(c.members) == 0 || slices.Contains(withoutKeys, c.members[0]) {
			continue
		}
		assert.NotEmpty(t, c.keys, "the clause of %s cannot be declared by a tag", c.members)
		for key := range c.keys {
			assert.Empty(t, owner[key], "two clauses have the key %s", key)
			owner[key] = c.members[0]
		}
	}
}

// The doc comments of the marker types are a reader's only documentation of
// their keys.
func TestMarkerTypes_NameTheirKeysInTheirComments(t *testing.T) {
	t.Parallel()
	for marker, keys := range map[string][]string{
		"Tags":          slices.Collect(maps.Keys(allTagKeys())),
		"SideEffectTag": slices.Collect(maps.Keys(sideEffectKeys())),
		"FailureTag":    slices.Collect(maps.Keys(failureKeys())),
	} {
		words := strings.FieldsFunc(commentOf(t, marker), func(r rune) bool {
			return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
		})
		for _, key := range keys {
			assert.Contains(t, words, key, "the comment of %s does not name the key %s", marker, key)
		}
	}
}

// commentOf returns the doc comment of a type in tags.go.
func commentOf(t *testing.T, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "tags.go", nil, parser.ParseComments)
	require.NoError(t, err)
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			if spec, ok := d.Specs[0].(*ast.TypeSpec); ok && spec.Name.Name == name {
				return d.Doc.Text()
			}
		}
	}
	t.Fatalf("there is no type %s", name)
	return ""
}

// A clause needs only its row. The value of its tag overrides the value of a
// base, is validated, and reaches the document.
func TestClauses_ANewOneIsOneRow(t *testing.T) {
	t.Parallel()
	const declaredTeam declaration[string] = "team"
	team := clause{
		keys: tagKeys{"team": textValue(declaredTeam)},
		check: func(c *checker) {
			name := declaredTeam.of(&c.layer)
			if name == "" {
				c.bad("team.missing", "team", "the tool has no team", "name one")
			}
			c.doc.Metadata = map[string]any{"team": name}
		},
	}
	c := &checker{}
	team.check(c)
	require.Len(t, c.mistakes, 1)
	assert.Equal(t, "team.missing", c.mistakes[0].Rule)

	var base, tags layer
	declaredTeam.set(&base, "base")
	team.keys["team"](&tagReader{layer: &tags, key: "team", value: "tags"})
	c = &checker{layer: tags.over(&base)}
	team.check(c)
	assert.Empty(t, c.mistakes)
	assert.Equal(t, map[string]any{"team": "tags"}, c.doc.Metadata)
}
