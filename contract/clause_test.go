package contract

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
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
var withoutKeys = []string{"sideEffects", "failureModes", "resolves", "reconcile"}

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
// their keys. A comment lists them in its indented block.
func TestMarkerTypes_ListTheirKeysInTheirComments(t *testing.T) {
	t.Parallel()
	for marker, keys := range map[string][]string{
		"Tags":          slices.Collect(maps.Keys(keysOf(clauses[:]))),
		"SideEffectTag": slices.Collect(maps.Keys(sideEffectKeys())),
		"FailureTag":    slices.Collect(maps.Keys(failureKeys())),
	} {
		listed := listedKeys(commentOf(t, marker))
		for _, key := range keys {
			assert.Contains(t, listed, key, "the comment of %s does not list the key %s", marker, key)
		}
	}
}

var (
	quotedValue = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	prose       = regexp.MustCompile(`with the function .*`)
	word        = regexp.MustCompile(`[A-Za-z]+`)
)

// listedKeys returns the words in the indented block of a comment, without the
// values of its pairs and the names of verbs.
func listedKeys(comment string) []string {
	var keys []string
	for line := range strings.Lines(comment) {
		block, indented := strings.CutPrefix(line, "\t")
		if !indented {
			continue
		}
		block = prose.ReplaceAllString(quotedValue.ReplaceAllString(block, ""), "")
		keys = append(keys, word.FindAllString(block, -1)...)
	}
	return keys
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

type teamInput struct {
	_    Tags   `name:"notes.read" team:"tags"`
	Text string `json:"text"`
}

type teamlessInput struct {
	Text string `json:"text"`
}

// A new clause needs only its row: its tag key is read, the tag wins over a
// base, and Build checks the clause and publishes its member.
func TestClauses_ANewOneIsOneRow(t *testing.T) {
	t.Parallel()
	const declaredTeam declaration[string] = "team"
	all := slices.Concat(clauses[:], []clause{{
		keys: tagKeys{"team": textValue(declaredTeam)},
		base: func(b *Base, l *layer) { fromBase(l, declaredTeam, b.Category) }, // no field of Base is the test's own
		check: func(c *checker) {
			name := declaredTeam.of(&c.layer)
			if name == "" {
				c.bad("team.missing", "team", "the tool has no team", "name one")
			}
			c.doc.Metadata = map[string]any{"team": name}
		},
	}})
	base := Base{Description: "Keeps a note.", Version: "1.0.0", Effect: risk.ReadOnly, Trust: trust.Trusted}

	b := newBuilder(func(context.Context, teamlessInput) (string, error) { return "", nil }, all)
	declaredName.set(&b.verbs, "notes.read")
	_, err := b.From(base).Build()
	mistakes := DeclarationErrors(err)
	require.Len(t, mistakes, 1)
	assert.Equal(t, "team.missing", mistakes[0].Rule)

	base.Category = "base"
	tool, err := newBuilder(func(context.Context, teamInput) (string, error) { return "", nil }, all).From(base).Build()
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"team": "tags"}, tool.Document().Metadata)
}

// Each field of a base is declared by the row of its clause.
func TestBase_EveryFieldIsDeclared(t *testing.T) {
	t.Parallel()
	full := Base{
		Title: "Keep", Description: "Keeps.", Category: "notes", Metadata: map[string]any{"team": "notes"},
		Version: "1.0.0", Deprecated: Deprecation{Since: "1.0.0"}, FlatName: true, Aliases: []string{}, AuditEvent: "kept",
		Risk: risk.High, Effect: risk.HighRiskWrite, SecurityLevel: 8, Trust: trust.Trusted, Delimit: trust.DelimitAll,
		Sanitize: trust.SanitizeText,
		Reads:    []DataKind{}, Sends: true, Permissions: []string{}, NoPermissions: "none", DiscoverWith: []string{},
		Confirmation: ConfirmationNever, ConfirmationReason: "none", Autonomous: new(false), StepUp: StepUp{ACR: "mfa"},
		SideEffects: []SideEffect{}, Idempotency: Idempotency{ClientKey: true}, Lenient: []Leniency{},
		RateLimit: RateLimit{Calls: 1}, TotalRateLimit: RateLimit{Calls: 1}, RetryBudget: RetryBudget{Failures: 1},
		Timeout: 1, Cancellable: true, MaxConcurrent: 1, MaxResultBytes: 1, MaxArgumentBytes: 1,
		Failures: []*Failure{}, OtherErrors: ClassFatal, TypeSchemas: []TypeSchema{{}}, UncheckedPatterns: true,
	}
	declared := full.layer(clauses[:])
	for field := range reflect.TypeFor[Base]().Fields() {
		without := full
		value := reflect.ValueOf(&without).Elem().FieldByIndex(field.Index)
		require.False(t, value.IsZero(), "%s: set it in this test", field.Name)
		value.SetZero()
		assert.NotEqual(t, declared, without.layer(clauses[:]), "%s: no clause declares it", field.Name)
	}
	var empty Base
	assert.Zero(t, empty.layer(clauses[:]))
}
