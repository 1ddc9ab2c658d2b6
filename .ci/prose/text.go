package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A passage is one piece of prose: a paragraph of a comment, a string of the code,
// or a paragraph of a page.
type passage struct {
	// File and Line locate its beginning. Line counts from 1.
	File string
	Line int
	// Words is the text without line breaks.
	Words string
}

// notProse matches what is quoted inside prose and belongs to another language:
// code, links, and quotations.
var notProse = regexp.MustCompile("`[^`]*`|\\[[^\\]]*\\]|\"[^\"]*\"|https?://\\S+|<!--.*?-->")

// fromGo returns the prose of a Go file: its comments by paragraph, its string
// literals that are sentences, and the names of its tests.
func fromGo(file string, source []byte) ([]passage, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var texts []passage
	for _, group := range parsed.Comments {
		texts = append(texts, paragraphs(file, set, group)...)
	}
	tests := strings.HasSuffix(file, "_test.go")
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if tests && n.Recv == nil && strings.HasPrefix(n.Name.Name, "Test") {
				texts = append(texts, passage{File: file, Line: set.Position(n.Pos()).Line, Words: spaced(n.Name.Name)})
			}
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil { // a tag is data
				return false
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return true
			}
			value, err := strconv.Unquote(n.Value)
			if err == nil && isSentence(value) {
				texts = append(texts, passage{File: file, Line: set.Position(n.Pos()).Line, Words: value})
			}
		}
		return true
	})
	return texts, nil
}

// paragraphs splits a comment at its empty lines, and leaves out what is
// indented, which is code.
func paragraphs(file string, set *token.FileSet, group *ast.CommentGroup) []passage {
	var texts []passage
	var words []string
	begin := 0
	flush := func() {
		if len(words) > 0 {
			texts = append(texts, passage{File: file, Line: begin, Words: strings.Join(words, " ")})
		}
		words = nil
	}
	for _, c := range group.List {
		if isOutput(c.Text) {
			break
		}
		line := set.Position(c.Pos()).Line
		for i, raw := range strings.Split(c.Text, "\n") {
			text := strings.TrimPrefix(strings.TrimPrefix(raw, "//"), "/*")
			switch trimmed := strings.TrimSpace(text); {
			case trimmed == "" || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "go:") || strings.HasPrefix(text, "nolint"):
				flush()
			default:
				if item := listItem.MatchString(text); item || len(words) == 0 {
					flush()
					begin = line + i
				}
				words = append(words, trimmed)
			}
		}
	}
	flush()
	return texts
}

// isOutput reports whether a comment begins the recorded output of an Example.
func isOutput(comment string) bool {
	return strings.HasPrefix(comment, "// Output:") || strings.HasPrefix(comment, "// Unordered output:")
}

var listItem = regexp.MustCompile(`^\s*([-*•]|\d+\.) `)

// isSentence reports whether a string of the code is meant for people: it has
// several words, and is not a piece of JSON, HTML or another language.
func isSentence(s string) bool {
	return len(strings.Fields(s)) >= 4 && !strings.ContainsAny(s, "{}<>\t=") && !strings.Contains(s, "\n\n")
}

// spaced writes a test's name as words.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range strings.ReplaceAll(name, "_", " ") {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// fromMarkdown returns the prose of a page: paragraphs, list items and the cells
// of tables, without code.
func fromMarkdown(file string, page []byte) []passage {
	var texts []passage
	var words []string
	begin, fenced := 0, false
	flush := func() {
		if len(words) > 0 {
			texts = append(texts, passage{File: file, Line: begin, Words: strings.Join(words, " ")})
		}
		words = nil
	}
	for i, line := range strings.Split(string(page), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			flush()
			fenced = !fenced
		case fenced:
		case trimmed == "":
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			for cell := range strings.SplitSeq(trimmed, "|") {
				if strings.TrimSpace(cell) != "" {
					texts = append(texts, passage{File: file, Line: i + 1, Words: strings.TrimSpace(cell)})
				}
			}
		default:
			if listItem.MatchString(line) || strings.HasPrefix(trimmed, "#") || len(words) == 0 {
				flush()
				begin = i + 1
			}
			words = append(words, trimmed)
		}
	}
	flush()
	return texts
}
