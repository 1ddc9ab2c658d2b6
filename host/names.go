package host

import (
	"fmt"
	"strings"
)

// otherServer stands in for a server whose name is unknown.
const otherServer = "twelveletter"

// ToolName returns the name that the model gets for a tool of a server, and
// whether the host accepts a tool of that name. If the name ends with a digest
// that the host computes, its digits are zeros. A host whose names are not
// known takes the tool's own name.
func (h Host) ToolName(server, tool string) (name string, accepted bool) {
	for _, f := range h.Names {
		name, accepted = f.toolName(server, tool)
		return name, accepted && !(f.Other == "refuse" && f.folds(tool))
	}
	return tool, true
}

func (f Fact) toolName(server, tool string) (name string, accepted bool) {
	name = f.whole(server, tool)
	if f.Limit == 0 || len(name) <= f.Limit {
		return name, true
	}
	switch f.Over {
	case "hash":
		return name[:f.Limit-13] + "_000000000000", true
	case "middle":
		return name[:30] + "..." + name[len(name)-30:], true
	case "end":
		return name[:f.Limit], true
	}
	return name, false
}

// whole returns the name before it is cut.
func (f Fact) whole(server, tool string) string {
	prefix := strings.TrimSuffix(strings.ReplaceAll(f.Form, "{server}", f.fold(server)), "{tool}")
	if f.Prefix > 0 && len(prefix) > f.Prefix {
		prefix = prefix[:f.Prefix-1] + prefix[len(prefix)-1:]
	}
	return prefix + f.fold(tool)
}

func (f Fact) folds(text string) bool { return f.fold(text) != text }

// fold writes _ in place of every character that is not kept.
func (f Fact) fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(f.Keeps, r) {
			return r
		}
		return '_'
	}, text)
}

// The checks of names, which apply to each fact about names.
var (
	nameLong = check{rule: ruleNameLong,
		remedy: "shorten the name to 45 characters, which every host accepts if the name of the server has 12"}
	nameRefused   = check{rule: ruleNameRefused, remedy: "use letters, digits and _"}
	nameFolded    = check{rule: ruleNameFolded, remedy: "use letters, digits and _"}
	nameCollision = check{rule: ruleNameCollision, remedy: "rename one of them"}
)

func (l *linter) lintNames(f Fact) {
	server := l.server.Name
	if server == "" {
		server = otherServer
	}
	first := map[string]string{}
	for _, t := range l.tools {
		h := hit{tool: t.Name, pointer: "/name"}
		if whole := f.whole(server, t.Name); f.Limit > 0 && len(whole) > f.Limit {
			h.detail = fmt.Sprintf("the name has %d characters, and %d is the limit", len(whole), f.Limit)
			l.report(nameLong, f, h)
		}
		if f.folds(t.Name) && f.Other == "refuse" {
			h.detail = "the name has other characters than letters, digits, _ and -"
			l.report(nameRefused, f, h)
		} else if f.folds(t.Name) {
			changed := f
			changed.Does, changed.Level = "writes _ for other characters of a name", Info
			l.report(nameFolded, changed, h)
		}
		name, _ := f.toolName(server, t.Name)
		if f.Over == "hash" { // cut names differ by their digests
			name = f.whole(server, t.Name)
		}
		if other, ok := first[name]; ok && f.Other != "refuse" {
			collision := f
			collision.Does, collision.Level = "gives two tools one name", Error
			h.detail = "the other one is " + other
			l.report(nameCollision, collision, h)
		}
		first[name] = t.Name
	}
}

func listTools(f Fact, l *linter) []hit {
	return when(len(l.tools) > f.Limit, "/tools", fmt.Sprintf("the server has %d", len(l.tools)))
}
