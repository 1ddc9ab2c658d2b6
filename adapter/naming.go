package adapter

import (
	"maps"
	"regexp"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// names rewrites the names of a server's tools to their listed form.
type names struct {
	naming contract.Naming
	dotted map[string]bool // names of contracts that are listed in another form
}

// newNames returns the names of tools and, for a session, those of its server.
// Forbidden tools are not listed, so their names stay as they are.
func newNames(naming contract.Naming, tools []*contract.Tool, server names) names {
	n := names{naming: naming, dotted: maps.Clone(server.dotted)}
	if n.dotted == nil {
		n.dotted = map[string]bool{}
	}
	for _, t := range tools {
		if name := t.Name(); naming.Listed(name) != name && !isForbidden(t.Document()) {
			n.dotted[name] = true
		}
	}
	return n
}

// dottedWord matches anything that could be a dotted tool name, including the
// characters that would make it part of a path or an address.
var dottedWord = regexp.MustCompile(`[A-Za-z0-9_.@/:\\-]*[A-Za-z0-9_]`)

// in rewrites the tool names in a text to their listed form. A name that is
// part of a longer word, a path or an address stays.
func (n names) in(text string) string {
	if len(n.dotted) == 0 || !strings.Contains(text, ".") {
		return text
	}
	return dottedWord.ReplaceAllStringFunc(text, func(word string) string {
		if n.dotted[word] {
			return n.naming.Listed(word)
		}
		return word
	})
}

// translate rewrites the names that an outcome points the caller of e to. For a
// declared alias, the guard has set the name to use. A tool's own name is an
// alias too if the tool is listed in another form, which the guard does not
// know about.
func (n names) translate(o *contract.Outcome, e *Entry) {
	if o.UseName == "" && e.IsAlias() {
		o.UseName = e.tool.Name()
	}
	o.UseName = n.naming.Listed(o.UseName)
	o.Hint = n.in(o.Hint)
	if o.Deprecated != nil && n.naming != contract.Dotted {
		d := *o.Deprecated // a copy: the contract's own must not change
		d.ReplacedBy = n.naming.Listed(d.ReplacedBy)
		d.Note = n.in(d.Note)
		o.Deprecated = &d
	}
	if len(n.dotted) > 0 && len(o.Violations) > 0 {
		violations := append([]contract.Violation(nil), o.Violations...)
		for i := range violations {
			violations[i].Message = n.in(violations[i].Message)
		}
		o.Violations = violations
	}
}
