package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ruleID is the form of the identifiers of rules: what the rule is about, and
// what is wrong with it or what changed, joined by dots. Each part is one word
// in lower camel case. Users record these identifiers, so they do not change.
// The numbers of the MCP-first standard are not ours.
var ruleID = regexp.MustCompile(`^[a-z][a-zA-Z0-9]*(\.[a-z][a-zA-Z0-9]*)+$`)

// ruleName is the form of the rules of test suites for implementations. They
// are names of subtests.
var ruleName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// oneWord holds the identifiers of violations that clients know by one word.
var oneWord = []string{"idempotencyKey", "review", "size"}

// TestRuleIDs_HaveOneForm checks every rule that the packages declare:
// constants whose name begins with rule, and the fields Rule and ID of
// composite literals.
func TestRuleIDs_HaveOneForm(t *testing.T) {
	t.Parallel()
	found := 0
	check := func(file string, value ast.Expr) {
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return
		}
		id, err := strconv.Unquote(literal.Value)
		require.NoError(t, err)
		found++
		form := ruleID
		if strings.HasSuffix(filepath.Dir(file), "/storetest") {
			form = ruleName
		}
		if !slices.Contains(oneWord, id) {
			assert.Regexp(t, form, id, "%s", file)
		}
	}
	for _, file := range publishedSources(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, name := range n.Names {
					if strings.HasPrefix(strings.ToLower(name.Name), "rule") && i < len(n.Values) {
						check(file, n.Values[i])
					}
				}
			case *ast.CompositeLit:
				checkFields(n, func(value ast.Expr) { check(file, value) })
			}
			return true
		})
	}
	assert.Greater(t, found, 250, "the test finds the rules")
}

// checkFields calls check with the values of the fields of n that hold a rule's
// identifier: Rule of any type, and ID of a type that is called Rule.
func checkFields(n *ast.CompositeLit, check func(ast.Expr)) {
	if list, ok := n.Type.(*ast.ArrayType); ok && typeName(list.Elt) == "Rule" {
		for _, element := range n.Elts {
			if row, ok := element.(*ast.CompositeLit); ok && row.Type == nil {
				checkFields(&ast.CompositeLit{Type: list.Elt, Elts: row.Elts}, check)
			}
		}
		return
	}
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			key := typeName(pair.Key)
			if key == "Rule" || key == "ID" && typeName(n.Type) == "Rule" {
				check(pair.Value)
			}
		}
	}
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
