package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// maxNameLength is the longest name that every host accepts, in characters.
const maxNameLength = 64

// nameRules are about the names of tools and their replacements.
var nameRules = []Demand{
	{
		ID: "name.duplicate", Severity: Error, Clause: "name",
		Summary: "Every tool has a name of its own.",
		Remedy:  "rename one, or remove one",
		judge:   judgeDuplicate,
	},
	{
		ID: "name.length", Severity: Error, Clause: "name",
		Summary: "A name has at most 64 characters. For a longer one, Claude Desktop and claude.ai drop the whole server, and " +
			"the Claude directory refuses it.",
		Remedy: "shorten the name and keep the old one with Aliases",
		judge:  judgeLength,
	},
	{
		ID: "name.dots", Severity: Info, Clause: "name",
		Summary: "A listed name has no dots. With dots, Claude Desktop and claude.ai drop the whole server, and Copilot CLI and " +
			"Codex fail at the first prompt.",
		Remedy:   "serve with contract.Underscore, the default, if such hosts call the server",
		judgeAll: judgeDots,
	},
	{
		ID: "name.collision", Severity: Warning, Clause: "name",
		Summary: "Names differ with underscores in place of dots.",
		Remedy:  "rename one, or serve with WithNames(contract.Dotted) of the adapter",
		judge:   judgeCollision,
	},
	{
		ID: "name.domain", Severity: Warning, Clause: "name",
		Summary:  "A name is domain.verb.",
		Remedy:   "rename the tools and keep the old names with Aliases",
		judgeAll: judgeDomain,
	},
	{
		ID: "alias.shadow", Severity: Error, Clause: "aliases",
		Summary: "An alias is not the name or an alias of another tool.",
		Remedy:  "remove the alias from one of them",
		judge:   judgeShadow,
	},
	{
		ID: "title.missing", Severity: Warning, Clause: "title",
		Summary: "A tool has a title. The Claude directory refuses a server with a tool that has none.",
		Remedy:  "declare Title",
		judge:   judgeTitle,
	},
	{
		ID: "deprecated.future", Severity: Error, Clause: "deprecated",
		Summary: "A deprecation starts with the contract's version or an earlier one.",
		Remedy:  "name the version that deprecated the tool, or raise the contract's version",
		judge:   judgeDeprecatedFuture,
	},
	{
		ID: "deprecated.successor", Severity: Warning, Clause: "deprecated",
		Summary: "A deprecated tool names its replacement.",
		Remedy:  "set ReplacedBy, or write in Note that there is no replacement",
		judge:   judgeSuccessor,
	},
	{
		ID: "deprecated.replacement", Severity: Error, Clause: "deprecated",
		Summary: "The replacement of a deprecated tool is another tool that is not deprecated.",
		Remedy:  "name the tool to use instead",
		judge:   judgeReplacement,
	},
}

func judgeDuplicate(s *subject, report reportFunc) {
	for _, other := range s.all {
		if other != s && other.doc.Name == s.doc.Name {
			report("name", "another tool has the name")
			return
		}
	}
}

// judgeLength ignores forbidden tools, as all rules about hosts do, because
// they are never listed.
func judgeLength(s *subject, report reportFunc) {
	if n := len(s.doc.Name); n > maxNameLength && !s.isForbidden() {
		report("name", fmt.Sprintf("the name has %d characters, and hosts accept %d", n, maxNameLength))
	}
}

func judgeDots(set []*subject) string {
	return messageAbout(set, func(s *subject) bool { return strings.Contains(s.doc.Name, ".") && !s.isForbidden() },
		"name", "has dots, which Claude Desktop, claude.ai, Copilot CLI and Codex refuse in a list")
}

// maxNamed caps how many tools a finding about a server names.
const maxNamed = 5

// messageAbout returns a message about the tools that is selects, or "" if it
// selects none. The noun names the subject of the message, such as "name".
func messageAbout(set []*subject, is func(*subject) bool, noun, message string) string {
	var found []string
	for _, s := range set {
		if is(s) {
			found = append(found, s.doc.Name)
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	switch n := len(found); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("the %s %s %s", noun, found[0], message)
	case n <= maxNamed:
		return fmt.Sprintf("each of these %ss %s: %s", noun, message, strings.Join(found, ", "))
	default:
		return fmt.Sprintf("each of %d %ss %s: %s, …", n, noun, message, strings.Join(found[:maxNamed], ", "))
	}
}

func judgeCollision(s *subject, report reportFunc) {
	if s.isForbidden() {
		return
	}
	written := underscored(s.doc.Name)
	for _, other := range s.all {
		if other == s || other.isForbidden() {
			continue
		}
		if other.doc.Name != s.doc.Name && underscored(other.doc.Name) == written {
			report("name", fmt.Sprintf("the name and %s are both %s with underscores", other.doc.Name, written))
		} else if written != s.doc.Name && slices.Contains(other.doc.Aliases, written) {
			report("name", fmt.Sprintf("with underscores, the name equals an alias of %s", other.doc.Name))
		}
	}
}

func underscored(name string) string { return contract.Underscore.Listed(name) }

func judgeDomain(set []*subject) string {
	hasNone := func(s *subject) bool { return !strings.Contains(s.doc.Name, ".") && s.doc.Name != operation.LookupTool }
	return messageAbout(set, hasNone, "name", "has no domain")
}

// judgeShadow lets a tool have its own name as an alias, because a server that
// uses another naming needs that.
func judgeShadow(s *subject, report reportFunc) {
	for i, alias := range s.doc.Aliases {
		clause := fmt.Sprintf("aliases/%d", i)
		for _, other := range s.all {
			switch {
			case other == s:
			case other.doc.Name == alias:
				report(clause, fmt.Sprintf("the alias %s is the name of another tool", alias))
			case slices.Contains(other.doc.Aliases, alias):
				report(clause, fmt.Sprintf("the alias %s is also an alias of %s", alias, other.doc.Name))
			}
		}
	}
}

func judgeTitle(s *subject, report reportFunc) {
	if strings.TrimSpace(s.doc.Title) == "" && !s.isForbidden() {
		report("title", "the tool has no title")
	}
}

func judgeDeprecatedFuture(s *subject, report reportFunc) {
	if s.doc.Deprecated == nil {
		return
	}
	since, err := semver.StrictNewVersion(s.doc.Deprecated.Since)
	version, err2 := semver.StrictNewVersion(s.doc.Version)
	if err == nil && err2 == nil && since.GreaterThan(version) {
		report("deprecated/since", fmt.Sprintf("deprecated since %s, and the contract's version is %s", since, version))
	}
}

func judgeSuccessor(s *subject, report reportFunc) {
	if d := s.doc.Deprecated; d != nil && d.ReplacedBy == "" && strings.TrimSpace(d.Note) == "" {
		report("deprecated", "the deprecation names no replacement and has no note")
	}
}

// judgeReplacement ignores a replacement that is not among the tools, because
// it may belong to another server.
func judgeReplacement(s *subject, report reportFunc) {
	d := s.doc.Deprecated
	if d == nil || d.ReplacedBy == "" {
		return
	}
	for _, other := range s.all {
		if other.doc.Name != d.ReplacedBy && !slices.Contains(other.doc.Aliases, d.ReplacedBy) {
			continue
		}
		switch {
		case other.doc.Name == s.doc.Name:
			report("deprecated/replacedBy", "the tool replaces itself")
		case other.isForbidden():
			report("deprecated/replacedBy", fmt.Sprintf("the replacement %s is forbidden", other.doc.Name))
		case other.doc.Deprecated != nil:
			report("deprecated/replacedBy", fmt.Sprintf("the replacement %s is deprecated as well", other.doc.Name))
		}
		return
	}
}
