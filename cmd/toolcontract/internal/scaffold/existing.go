package scaffold

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// helpers has, for each SDK, the file that the package of a server gets: with
// limits alone, or with contracts too. The package clause is missing.
//
//go:embed existing/*.txt
var helpers embed.FS

// A change is the change of one package. Its text is a unified diff.
type change struct {
	pkg, sdk  string // sdk is empty: no server is made
	contracts bool   // tools get contracts
	sources   []*source
	text      strings.Builder
}

// A source is a file of the package.
type source struct {
	path, text string
	edits      []edit
	served     []edit // for servers whose tools get contracts
}

// An edit replaces a part of a file.
type edit struct {
	from, to token.Pos
	text     string
}

func (s *source) of(n ast.Node) string { return s.text[n.Pos()-1 : n.End()-1] } // its file set has one file

func (s *source) replace(from, to token.Pos, text string) {
	s.edits = append(s.edits, edit{from, to, text})
}

// existing returns the change of the package in a folder as a unified diff. It
// protects each server, and gives contracts to typed tools whose hints say that
// they write, by the functions of a new file. It is empty if there is nothing to
// change.
func existing(ctx context.Context, dir string) (string, error) {
	helper := filepath.Join(dir, "toolcontract.go")
	if _, err := os.Lstat(helper); err == nil {
		return "", fmt.Errorf("%s exists: the package seems to have this change already", helper)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	var c change
	for _, path := range slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "_test.go") }) {
		err = errors.Join(err, c.add(path))
	}
	if err != nil {
		return "", err
	}
	if c.sdk == "" {
		return "", fmt.Errorf("no call in %s is like mcp.NewServer(…) or server.NewMCPServer(…)", dir)
	}
	kind := "limits"
	if c.contracts {
		kind = "contracts"
	}
	for _, s := range c.sources {
		if c.contracts {
			s.edits = append(s.edits, s.served...)
		}
		difference, err := s.diff(ctx)
		if err != nil {
			return "", err
		}
		c.text.WriteString(difference)
	}
	if c.text.Len() == 0 {
		return "", nil
	}
	text, err := helpers.ReadFile("existing/" + c.sdk + "-" + kind + ".txt")
	lines := fmt.Sprintf("package %s\n\n%s", c.pkg, text)
	fmt.Fprintf(&c.text, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n", filepath.ToSlash(helper), strings.Count(lines, "\n"))
	for line := range strings.Lines(lines) {
		c.text.WriteString("+" + line)
	}
	return c.text.String(), err
}

// add finds what changes in a file.
func (c *change) add(path string) error {
	text, err := os.ReadFile(path) //nolint:gosec // the person names the folder
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	c.pkg = syntax.Name.Name
	s := &source{path: path, text: string(text)}
	c.sources = append(c.sources, s)
	assigned := map[string]string{} // the last value of each variable
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			assigned[s.of(n.Lhs[0])] = s.of(n.Rhs[0])
		case *ast.CallExpr:
			if sdk := makers[s.of(n.Fun)]; sdk != "" {
				c.sdk = sdk
				if !strings.Contains(s.text, ".Protect(") { // it may be protected already
					s.replace(n.Pos(), n.Pos(), "protectTools(")
					s.replace(n.End(), n.End(), ")")
				}
			}
			if server, tool, handler := s.typedTool(n); server != nil {
				value := s.of(tool)
				c.contracts = s.addContract(n, server, tool, handler, cmp.Or(assigned[value], value)) || c.contracts
			}
			s.serve(n)
		}
		return true
	})
	return nil
}

// serve notes how a call that serves a server over stdio changes. Only
// ServeStdioServer tells the guard who calls.
func (s *source) serve(call *ast.CallExpr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case s.of(call.Fun) == "server.ServeStdio":
		s.served = append(s.served, edit{call.Fun.Pos(), call.Fun.End(), "serveStdio"})
	case ok && method.Sel.Name == "Run" && len(call.Args) == 2 && s.of(call.Args[1]) == "&mcp.StdioTransport{}":
		at := call.Args[0].End()
		s.served = append(s.served, edit{call.Pos(), call.Lparen + 1, "serveStdio("}, edit{at, at, ", " + s.of(method.X)})
	}
}

// makers are the functions that make servers, with their SDKs.
var makers = map[string]string{"mcp.NewServer": "official", "server.NewMCPServer": "mcp-go"}

// typedTool returns the server, the tool and the handler of a call that adds a
// typed tool, or nil.
func (s *source) typedTool(call *ast.CallExpr) (server, tool, handler ast.Expr) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	switch {
	case !ok || method.Sel.Name != "AddTool":
	case len(call.Args) == 3 && s.of(method.X) == "mcp":
		return call.Args[0], call.Args[1], call.Args[2]
	case len(call.Args) == 2:
		typed, ok := call.Args[1].(*ast.CallExpr)
		if ok && s.of(typed.Fun) == "mcp.NewStructuredToolHandler" && len(typed.Args) == 1 {
			return method.X, call.Args[0], typed.Args[0]
		}
	}
	return nil, nil, nil
}

// hint matches a hint of a tool with either SDK, and what its value begins with.
var hint = regexp.MustCompile(`(ReadOnly|Destructive)Hint(?:Annotation\(|:)\s*(?:new\()?(\w*)`)

// addContract gives a contract to a tool if its hints say that it writes; see
// adapter.Wrapper. It reports whether they do.
func (s *source) addContract(call, server, tool, handler ast.Expr, value string) bool {
	base := ""
	for _, found := range hint.FindAllStringSubmatch(value, -1) {
		switch found[1] + found[2] {
		case "ReadOnlytrue":
			return false
		case "Destructivefalse":
			base = "writeContract"
		default:
			base = cmp.Or(base, "deleteContract")
		}
	}
	if base == "" {
		return false
	}
	s.replace(call.Pos(), tool.Pos(), "addGuardedTool("+s.of(server)+", ")
	s.replace(tool.End(), handler.Pos(), ", ")
	s.replace(handler.End(), call.End(), ", "+base+")")
	return true
}

// diff returns the edits as git would write them.
func (s *source) diff(ctx context.Context) (string, error) {
	if len(s.edits) == 0 {
		return "", nil
	}
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) })
	after := s.text
	for _, e := range s.edits {
		after = after[:e.from-1] + e.text + after[e.to-1:]
	}
	git := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-ext-diff", "--no-color", "-U3", "--", s.path, "-")
	git.Stdin = strings.NewReader(after)
	out, err := git.Output()
	_, hunks, differs := bytes.Cut(out, []byte("\n@@"))
	if !differs { // the status of git is 0 then, or it failed
		return "", err
	}
	path := filepath.ToSlash(s.path)
	return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@%s", path, path, hunks), nil
}
