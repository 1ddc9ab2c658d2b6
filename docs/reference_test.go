package docs_test

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
)

const (
	rulesPage = "docs/rules.md"
	codesPage = "docs/codes.md"
)

// A ruleRow is one rule of the page of rules.
type ruleRow struct{ id, about, more string }

// A foundRule is a rule in the source: a constant whose name begins with rule,
// or the first text of a literal or a call that reports a mistake.
type foundRule struct {
	ruleRow
	folder string
	at     int // in the order of the source
}

// sourceRules returns the rules in the source, each once for a folder, sorted.
func sourceRules(t *testing.T) []foundRule {
	t.Helper()
	found := map[string]foundRule{}
	add := func(folder, id, about string) {
		if ruleID.MatchString(id) && found[folder+" "+id].about == "" {
			found[folder+" "+id] = foundRule{ruleRow{id: id, about: sentence(about)}, folder, len(found)}
		}
	}
	for _, file := range publishedSources(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		folder := filepath.ToSlash(filepath.Dir(file))
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if strings.HasPrefix(strings.ToLower(n.Names[0].Name), "rule") && len(n.Values) == 1 {
					about := n.Comment.Text()
					if about == "" {
						about = strings.TrimPrefix(n.Doc.Text(), n.Names[0].Name+" ")
					}
					add(folder, texts(n.Values[0])[0], about)
				}
			case *ast.CompositeLit:
				checkFields(n, func(rule ast.Expr) {
					about := ""
					for _, e := range n.Elts {
						if pair, ok := e.(*ast.KeyValueExpr); ok && typeName(pair.Key) == "Message" {
							about = strings.Join(texts(pair.Value), " ")
						}
					}
					add(folder, texts(rule)[0], about)
				})
			case *ast.CallExpr:
				if all := texts(n); len(all) > 2 && (typeName(n.Fun) == "finding" || typeName(n.Fun) == "bad") {
					add(folder, all[0], longest(all[1:]))
				}
			}
			return true
		})
	}
	var all []foundRule
	for _, r := range found {
		all = append(all, r)
	}
	// A rule that several packages return is listed where it is declared: packages
	// contract and internal/listing come first.
	slices.SortFunc(all, func(a, b foundRule) int {
		rank := func(r foundRule) int {
			if r.folder == "contract" || r.folder == "internal/listing" {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.folder, b.folder), cmp.Compare(a.id, b.id))
	})
	return all
}

// texts returns the string constants in an expression. It has at least one
// element.
func texts(e ast.Expr) []string {
	var all []string
	ast.Inspect(e, func(n ast.Node) bool {
		text, ok := constant(n)
		if ok {
			all = append(all, text)
		}
		return !ok
	})
	return append(all, "")
}

// constant returns the text of a string literal, or of several that are joined
// because a line would be too long.
func constant(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(n.Value)
		return text, err == nil && n.Kind == token.STRING
	case *ast.BinaryExpr:
		first, ok := constant(n.X)
		rest, also := constant(n.Y)
		return first + rest, ok && also && n.Op == token.ADD
	}
	return "", false
}

func longest(all []string) string {
	return slices.MaxFunc(all, func(a, b string) int { return cmp.Compare(strings.Count(a, " "), strings.Count(b, " ")) })
}

var formatVerb = regexp.MustCompile(`:? ?%[a-z]`)

// sentence writes a comment or a message as one sentence.
func sentence(text string) string {
	text = strings.TrimSpace(formatVerb.ReplaceAllString(unwrapped(text), ""))
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + strings.TrimRight(text[1:], ".: ") + "."
}

// explained has the rules whose source has no sentence about them.
var explained = map[string]string{
	"dryrun.effect":      "A dry run can write, or can do something unknown.",
	"precheck.effect":    "A precheck can write, or can do something unknown.",
	"reconcile.effect":   "A reconciliation can write, or can do something unknown.",
	"reach.external":     "A tool with internal side effects can leave the system.",
	"readonly.effect":    "A read-only tool can write, or can do something unknown.",
	"schema.bind":        "A written schema accepts what the Go type cannot hold.",
	"schema.exact":       "A wrapped handler cannot read all integers that the schema accepts exactly.",
	"schema.protection":  "A written schema publishes x-secret, x-sensitive or x-review, and nothing enforces it.",
	"protection.pointer": "A pointer of a secret or sensitive member leads to no member of the schemas.",
	"serve.header":       "A tool with aliases, or one that not every caller may see, has x-mcp-header in its schema.",
	"source.missing":     "The source of a function was not found.",
}

// A ruleTable is one section of the page of rules.
type ruleTable struct {
	title, about string
	columns      string
	rows         []ruleRow
}

func ruleTables(t *testing.T) []ruleTable {
	t.Helper()
	var build, types, serving, definitions, snapshots, source, hosts, others []ruleRow
	for _, r := range contract.BuildRules() {
		build = append(build, ruleRow{id: r.ID, about: r.Summary})
	}
	var policy []foundRule // the first one that applies decides
	listed := func(rows []ruleRow, id string) bool {
		return slices.ContainsFunc(rows, func(r ruleRow) bool { return r.id == id })
	}
	for _, r := range sourceRules(t) {
		into := map[string]*[]ruleRow{
			"contract": &build, "internal/schema/derive": &types, "internal/schema": &types,
			"guard": &serving, "adapter": &serving, "internal/listing": &serving, "mcpgo": &serving, "gosdk": &serving,
			"contract/definition": &definitions, "verify/failurecheck": &source, "verify/effectcheck": &source,
			"host": &hosts,
		}[r.folder]
		if r.folder == "agent" && !strings.HasPrefix(r.id, "schema.") {
			policy = append(policy, r)
			continue
		}
		if r.folder == "contract/compat" && (strings.HasPrefix(r.id, "version.") || strings.HasPrefix(r.id, "snapshot.")) {
			into = &snapshots
		}
		if into == nil && !strings.HasPrefix(r.folder, "contracttest") && r.folder != "verify" &&
			r.folder != "contract/compat" {
			into = &others
			assert.NotEmpty(t, r.about, "the constant of rule %s in %s has a comment", r.id, r.folder)
		}
		if into != nil && !listed(*into, r.id) && !listed(build, r.id) {
			r.about = cmp.Or(r.about, explained[r.id])
			*into = append(*into, r.ruleRow)
		}
	}
	slices.SortFunc(policy, func(a, b foundRule) int { return cmp.Compare(a.at, b.at) })
	var check, claims, changes, ofPolicy []ruleRow
	for _, r := range policy {
		ofPolicy = append(ofPolicy, r.ruleRow)
	}
	for _, r := range contracttest.Demands() {
		check = append(check, ruleRow{r.ID, r.Summary + " " + sentence(r.Remedy), string(r.Severity)})
	}
	for _, c := range verify.Claims() {
		claims = append(claims, ruleRow{id: c.ID, about: c.Summary + " " + sentence(c.Remedy)})
	}
	for _, r := range compat.Kinds() {
		class := string(r.Class)
		if r.Downgrade {
			class += ", downgrade"
		}
		changes = append(changes, ruleRow{r.ID, r.Summary, class})
	}
	tables := []ruleTable{
		{
			"Build", "`Build` returns these for clauses and tags, each as a `contract.DeclarationError` with a remedy.",
			"rule | demand or mistake", build,
		},
		{"Types and schemas", "`Build` returns these for Go types, `jsonschema` tags and written schemas.", "rule | mistake", types},
		{
			"Serving", "`Protect`, the adapters and their `Verify` return these when tools are registered with a server.",
			"rule | mistake", serving,
		},
		{
			"Arguments", "A refused call has these in the `violations` of its outcome. Each has a pointer, and none has a value.",
			"rule | mistake", argumentRules(),
		},
		{
			"Check", "`contracttest.Check` fails for an error, and logs the others. A finding is accepted with a reason.",
			"rule | demand and remedy | severity", check,
		},
		{
			"Verify", "Functions of `verify` judge these. Each conclusion is contradicted, consistent or unknown.",
			"rule | claim and remedy", claims,
		},
		{"failurecheck and effectcheck", "These compare the source of a handler with its contract.", "rule | finding", source},
		{
			"Changes", "`compat.Diff` and `contracttest.Golden` classify each change.\nThe class is the part of the version " +
				"to raise. A downgrade also needs a reason.", "rule | change | class", changes,
		},
		{"Versions and snapshots", "`compat` returns these for versions and for the file of a snapshot.", "rule | mistake", snapshots},
		{"Definitions", "`contract/definition` returns these for a definition document.", "rule | mistake", definitions},
		{
			"Hosts", "`contracttest.CheckHosts` and `toolcontract lint` find what hosts do with tools.",
			"rule | finding", hosts,
		},
		{
			"Policy of an agent", "`agent.Policy` names the rule that decided. The first one that applies decides.",
			"rule | reason", ofPolicy,
		},
	}
	if len(others) > 0 {
		tables = append(tables, ruleTable{"Other packages", "Packages of agents and gateways return these.", "rule | mistake", others})
	}
	return tables
}

// argumentRules returns the rules of violations.
func argumentRules() []ruleRow {
	return []ruleRow{
		{
			id: "schema.KEYWORD", about: "The argument breaks this keyword of the input schema, such as schema.required, " +
				"schema.type or schema.maximum.",
		},
		{id: "schema.exact", about: "An integer is too large for the wrapped handler to read exactly."},
		{
			id: "schema.spelling", about: "Two members of one object differ only in case, so the wrapped handler could read " +
				"another one than the guard checked.",
		},
		{id: "schema.more", about: "The list was cut; the message counts the rest."},
		{id: "schema.internal", about: "The validator failed, so the arguments are refused."},
		{id: "size", about: "The arguments are larger than maxArgumentBytes."},
		{id: "idempotencyKey", about: "The key of the client is not a string of 1 to 255 printable ASCII characters."},
		{id: "review", about: "An argument of a field tagged review is too long to be shown whole to a person."},
	}
}

func renderRules(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Rules

Every message of the library about a contract has the id of a rule in brackets, such as ` + "`[risk.floor]`" + `. Ids do not
change. This page lists all of them. A test generates it from the source.

`)
	tables := ruleTables(t)
	for _, table := range tables {
		slug := strings.ToLower(strings.ReplaceAll(table.title, " ", "-"))
		fmt.Fprintf(&b, "- [%s](#%s): %d\n", table.title, slug, len(table.rows))
	}
	anchored := map[string]bool{}
	for _, table := range tables {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| %s |\n|%s\n", table.title, table.about, table.columns,
			strings.Repeat("---|", strings.Count(table.columns, "|")+1))
		for _, r := range table.rows {
			mark := ""
			if !anchored[r.id] {
				mark = fmt.Sprintf("<a id=%q></a>", r.id)
				anchored[r.id] = true
			}
			fmt.Fprintf(&b, "| %s`%s` | %s |", mark, r.id, strings.ReplaceAll(unwrapped(r.about), "|", "\\|"))
			if strings.Count(table.columns, "|") == 2 {
				b.WriteString(" " + r.more + " |")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// The page has every rule of the source, with an explanation. This test may
// write the page, so it runs before the parallel tests read it.
func TestRulesPage_HasEveryRule(t *testing.T) {
	want := renderRules(t)
	text := read(t, rulesPage)
	body, _, _ := strings.Cut(text, "\n\nNext: [")
	if *update {
		_, tail, _ := strings.Cut(text, "\n\nNext: [")
		body = strings.TrimSpace(want)
		text = body + "\n\nNext: [" + tail
		require.NoError(t, os.WriteFile(rulesPage, []byte(text), 0o644))
	}
	sameText(t, strings.TrimSpace(want), strings.TrimSpace(body), rulesPage)
	for _, table := range ruleTables(t) {
		for _, r := range table.rows {
			assert.NotEmpty(t, r.about, "%s has no explanation", r.id)
		}
	}
	marks := anchors(text)
	for _, r := range sourceRules(t) {
		if !strings.Contains(r.folder, "contracttest") && !strings.HasPrefix(r.id, "schema.") {
			assert.True(t, marks[r.id], "%s has no rule %s of %s", rulesPage, r.id, r.folder)
		}
	}
}

// The page of codes has every code of the guard, with its class.
func TestCodesPage_HasEveryCodeWithItsClass(t *testing.T) {
	t.Parallel()
	classes := map[string][]string{}
	for _, tool := range []*contract.Tool{toolWithEveryCode(risk.ReadOnly), toolWithEveryCode(risk.HighRiskWrite)} {
		for _, mode := range tool.Document().FailureModes {
			classes[mode.Code] = append(classes[mode.Code], mode.Class.String())
		}
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| <a id=\"([a-z_]+)\"></a>`([a-z_]+)` \\| ([a-z ,]+) \\|").
		FindAllStringSubmatch(read(t, codesPage), -1) {
		assert.Equal(t, m[1], m[2])
		rows[m[2]] = m[3]
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), "contract/code.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, decl := range parsed.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			continue
		}
		for _, spec := range d.Specs {
			code := texts(spec.(*ast.ValueSpec).Values[0])[0]
			assert.NotEmpty(t, rows[code], "%s has no row for %s", codesPage, code)
			for _, class := range classes[code] {
				assert.Contains(t, rows[code], class, code)
			}
			delete(rows, code)
		}
	}
	assert.Empty(t, rows, "codes that the guard does not have")
}

// toolWithEveryCode returns a tool whose contract lists all codes of the guard.
func toolWithEveryCode(effect risk.Effect) *contract.Tool {
	type none struct{}
	return contract.New("codes.all", func(context.Context, none) (none, error) { return none{}, nil }).
		Description("Does nothing.").Version("1.0.0").Effect(effect).Trust(trust.Trusted).Permissions("codes:use").
		Idempotency(contract.Idempotency{Mode: idempotency.Managed}).Timeout(time.Second).ConfirmAlways().
		StepUp(contract.StepUp{MaxAge: 5 * time.Minute}).
		DryRun(dryrun.By(func(context.Context, none) (dryrun.Preview[none], error) { return dryrun.Preview[none]{}, nil }).Required()).
		MustBuild()
}
