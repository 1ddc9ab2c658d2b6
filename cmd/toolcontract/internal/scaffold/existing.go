package scaffold

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const library = "github.com/toolcontract/toolcontract/"

// A source is a file of the package that has the servers.
type source struct {
	path    string
	text    string
	syntax  *ast.File
	adapter string // of its SDK; empty: it imports none
	makes   string // what makes a server, as the file calls it
	edits   []edit
	needs   map[string]bool // imports of the edits
}

// An edit replaces a part of a file.
type edit struct {
	from, to int
	text     string
}

func (s *source) of(n ast.Node) string { return s.text[n.Pos()-1 : n.End()-1] } // its file set has one file

func (s *source) replace(from, to token.Pos, text string, imports ...string) {
	s.edits = append(s.edits, edit{int(from) - 1, int(to) - 1, text})
	for _, path := range imports {
		s.needs[strconv.Quote(path)] = true
	}
}

// existing returns the change of the package in a folder as a unified diff. It
// protects each server, and gives contracts to typed tools whose hints say that
// they write.
func existing(ctx context.Context, dir string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	var sources []*source
	for _, path := range slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") }) {
		s, readErr := read(path)
		err = errors.Join(err, readErr)
		sources = append(sources, s)
	}
	if err != nil {
		return "", err
	}
	var permissions []string
	var guarded *source // has the first server
	for _, s := range sources {
		s.eachStatement(func(stmt ast.Stmt) {
			permissions = append(permissions, s.addContract(stmt)...)
			if s.madeServer(stmt) != "" {
				guarded = cmp.Or(guarded, s)
			}
		})
	}
	if guarded == nil {
		return "", fmt.Errorf("no statement in %s is like s := mcp.NewServer(…) or s := server.NewMCPServer(…)", dir)
	}
	for _, s := range sources {
		s.eachStatement(func(stmt ast.Stmt) { s.protect(stmt, len(permissions) > 0) })
	}
	if len(permissions) > 0 {
		slices.Sort(permissions)
		guarded.replace(guarded.syntax.FileEnd, guarded.syntax.FileEnd, fmt.Sprintf("\n// toolGuard enforces the contracts. "+
			"Decide who calls; see LocalUser and Bearer of %s.\nvar toolGuard = func() *guard.Guard {\n"+
			"g, err := guard.New(guard.WithPrincipal(%[1]s.LocalUser(%s)))\nif err != nil {\nlog.Fatal(err)\n}\nreturn g\n}()\n",
			guarded.adapter, strings.Join(slices.Compact(permissions), ", ")), library+"guard")
	}
	return diff(ctx, sources)
}

func read(path string) (*source, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the person names the folder
	s := &source{path: path, text: string(text), needs: map[string]bool{}}
	if err == nil {
		s.syntax, err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	}
	if err != nil {
		return nil, err
	}
	for _, spec := range s.syntax.Imports {
		switch spec.Path.Value {
		case `"github.com/modelcontextprotocol/go-sdk/mcp"`:
			s.adapter, s.makes = "gosdk", "mcp.NewServer"
		case `"github.com/mark3labs/mcp-go/server"`:
			s.adapter, s.makes = "mcpgo", "server.NewMCPServer"
		}
	}
	return s, nil
}

func (s *source) eachStatement(do func(ast.Stmt)) {
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		if block, ok := n.(*ast.BlockStmt); ok && s.adapter != "" {
			for _, stmt := range block.List {
				do(stmt)
			}
		}
		return true
	})
}

// madeServer returns the variable for which a statement makes a server, or "".
func (s *source) madeServer(stmt ast.Stmt) string {
	if a, ok := stmt.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && strings.HasPrefix(s.of(a.Rhs[0]), s.makes+"(") {
		return s.of(a.Lhs[0])
	}
	return ""
}

func (s *source) protect(stmt ast.Stmt, guarded bool) {
	server := s.madeServer(stmt)
	if server == "" || strings.Contains(s.text, ".Protect("+server) { // it may be protected already
		return
	}
	if guarded {
		server += ", belt.Settings{Guard: toolGuard}"
		s.needs[strconv.Quote(library+"adapter/belt")] = true
	}
	s.replace(stmt.End(), stmt.End(),
		fmt.Sprintf("\nif _, err := %s.Protect(%s); err != nil {\nlog.Fatal(err)\n}", s.adapter, server),
		library+s.adapter, "log")
}

// addContract replaces a statement that adds a typed tool that writes. It
// returns the permission of the contract, in quotes.
func (s *source) addContract(stmt ast.Stmt) []string {
	expression, _ := stmt.(*ast.ExprStmt)
	if expression == nil {
		return nil
	}
	call, ok := expression.X.(*ast.CallExpr)
	if !ok {
		return nil
	}
	var args []ast.Expr // the server, the tool and the handler
	if s.adapter == "gosdk" && s.of(call.Fun) == "mcp.AddTool" && len(call.Args) == 3 {
		args = call.Args
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if ok && s.adapter == "mcpgo" && method.Sel.Name == "AddTool" && len(call.Args) == 2 {
		typed, ok := call.Args[1].(*ast.CallExpr)
		if ok && s.of(typed.Fun) == "mcp.NewStructuredToolHandler" && len(typed.Args) == 1 {
			args = []ast.Expr{method.X, call.Args[0], typed.Args[0]}
		}
	}
	if args == nil {
		return nil
	}
	name, effect := s.guess(args[1])
	if effect == "" {
		return nil
	}
	permission := strconv.Quote(name + ":use")
	s.replace(stmt.Pos(), stmt.End(), fmt.Sprintf(
		"// Decide this: the effect is guessed from the hints, the permission from the name.\n"+
			"if err := %s.AddTool(%s, toolGuard, %s, %s,\ncontract.Base{Effect: %s, Permissions: []string{%s}}); err != nil {\n"+
			"log.Fatal(err)\n}",
		s.adapter, s.of(args[0]), s.of(args[1]), s.of(args[2]), effect, permission),
		library+s.adapter, library+"contract", library+"risk", "log")
	return []string{permission}
}

// guess returns the name of a tool, and the effect that its hints imply if they
// say that it writes; see adapter.Wrapper. A variable stands for what the file
// assigns to it last.
func (s *source) guess(tool ast.Expr) (name, effect string) {
	found := map[string]string{}
	note := func(member, value string) { found[member] = value }
	if variable, ok := tool.(*ast.Ident); ok {
		s.eachStatement(func(stmt ast.Stmt) {
			if a, ok := stmt.(*ast.AssignStmt); ok && s.of(a.Lhs[0]) == variable.Name {
				tool = a.Rhs[0]
			}
		})
	}
	ast.Inspect(tool, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			note(s.of(n.Key), s.of(n.Value))
		case *ast.CallExpr:
			if len(n.Args) > 0 {
				note(s.of(n.Fun), s.of(n.Args[0]))
			}
		}
		return true
	})
	name, err := strconv.Unquote(found["Name"] + found["mcp.NewTool"])
	reads := found["ReadOnlyHint"] + found["mcp.WithReadOnlyHintAnnotation"]
	destroys := found["DestructiveHint"] + found["mcp.WithDestructiveHintAnnotation"]
	switch {
	case err != nil, reads+destroys == "", strings.Contains(reads, "true"):
		return "", ""
	case strings.Contains(destroys, "false"):
		return name, "risk.HighRiskWrite"
	}
	return name, "risk.Destructive"
}

// edited returns the text of a file with its edits.
func (s *source) edited() ([]byte, error) {
	var end token.Pos
	for _, d := range s.syntax.Decls {
		if imports, ok := d.(*ast.GenDecl); ok && imports.Tok == token.IMPORT {
			end = imports.End()
		}
	}
	for _, spec := range s.syntax.Imports {
		delete(s.needs, spec.Path.Value)
	}
	if len(s.needs) > 0 {
		s.replace(end, end, "\n\nimport (\n"+strings.Join(slices.Sorted(maps.Keys(s.needs)), "\n")+"\n)")
	}
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	text := s.text
	for _, e := range s.edits {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return format.Source([]byte(text))
}

// diff returns the edits as git writes them.
func diff(ctx context.Context, sources []*source) (string, error) {
	dir, err := os.MkdirTemp("", "toolcontract")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, s := range sources {
		after, err := s.edited()
		if err == nil {
			var made []string
			err = errors.Join(create(filepath.Join(dir, "a", s.path), []byte(s.text), &made),
				create(filepath.Join(dir, "b", s.path), after, &made))
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.path, err)
		}
	}
	git := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-prefix", "--no-ext-diff", "--no-color", "--full-index",
		"-U3", "a", "b")
	git.Dir = dir
	out, err := git.Output()
	if differs, ok := errors.AsType[*exec.ExitError](err); ok && differs.ExitCode() == 1 {
		err = nil
	}
	return string(out), err
}
