package failurecheck

import (
	"go/ast"
	"go/token"
	"strings"
)

// A source has the comments that allow findings, in the files in which errors
// were found.
type source struct {
	fset    *token.FileSet
	allowed map[line]bool
}

// A line is one line of a file.
type line struct {
	file   string
	number int
}

// allowComment allows the findings of a line. It needs a reason.
const allowComment = "//failurecheck:allow "

// newSource reads the comments in files.
func newSource(fset *token.FileSet, files []*ast.File) source {
	s := source{fset: fset, allowed: map[line]bool{}}
	for _, f := range files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				reason, ok := strings.CutPrefix(c.Text, allowComment)
				if !ok || strings.TrimSpace(reason) == "" {
					continue
				}
				at := fset.Position(c.Pos())
				s.allowed[line{at.Filename, at.Line}] = true
				s.allowed[line{at.Filename, at.Line + 1}] = true
			}
		}
	}
	return s
}

// allows reports whether a comment at the end of the line of pos, or on the
// line before, allows a finding.
func (s source) allows(pos token.Pos) bool {
	at := s.fset.Position(pos)
	return s.allowed[line{at.Filename, at.Line}]
}
