package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/contract"
)

func judgeDuplicate(s *subject, all []*subject, say func(clause, message string)) {
	for _, other := range all {
		if other != s && other.doc.Name == s.doc.Name {
			say("name", "another tool has the name")
			return
		}
	}
}

// judgeLength leaves out the forbidden tool, as all rules about what hosts see: it is never listed.
func judgeLength(s *subject, _ []*subject, say func(clause, message string)) {
	if n := len(s.doc.Name); n > maxNameLength && !s.isForbidden() {
		say("name", fmt.Sprintf("the name has %d characters, and hosts take %d", n, maxNameLength))
	}
}

func judgeDots(s *subject, _ []*subject, say func(clause, message string)) {
	if strings.Contains(s.doc.Name, ".") && !s.isForbidden() {
		say("name", "the name has dots, which Claude Desktop, claude.ai, Copilot CLI and Codex refuse")
	}
}

func judgeCollision(s *subject, all []*subject, say func(clause, message string)) {
	if s.isForbidden() {
		return
	}
	written := underscored(s.doc.Name)
	for _, other := range all {
		if other == s || other.isForbidden() {
			continue
		}
		if other.doc.Name != s.doc.Name && underscored(other.doc.Name) == written {
			say("name", fmt.Sprintf("it and the name %s are both written %s with underscores", other.doc.Name, written))
		} else if written != s.doc.Name && slices.Contains(other.doc.Aliases, written) {
			say("name", fmt.Sprintf("it is written with underscores like an alias of %s", other.doc.Name))
		}
	}
}

func underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }

func judgeDomain(s *subject, _ []*subject, say func(clause, message string)) {
	if !strings.Contains(s.doc.Name, ".") {
		say("name", "the name has no domain")
	}
}

// judgeShadow lets a tool have its own name as an alias, which servers with another naming list by it.
func judgeShadow(s *subject, all []*subject, say func(clause, message string)) {
	for i, alias := range s.doc.Aliases {
		clause := fmt.Sprintf("aliases/%d", i)
		for _, other := range all {
			switch {
			case other == s:
			case other.doc.Name == alias:
				say(clause, fmt.Sprintf("the alias %s is the name of another tool", alias))
			case slices.Contains(other.doc.Aliases, alias):
				say(clause, fmt.Sprintf("the alias %s is one of %s too", alias, other.doc.Name))
			}
		}
	}
}

func judgeTitle(s *subject, _ []*subject, say func(clause, message string)) {
	if strings.TrimSpace(s.doc.Title) == "" && !s.isForbidden() {
		say("title", "the tool has no title")
	}
}

func judgeDeprecatedFuture(s *subject, _ []*subject, say func(clause, message string)) {
	if s.doc.Deprecated == nil {
		return
	}
	since, err := semver.StrictNewVersion(s.doc.Deprecated.Since)
	version, err2 := semver.StrictNewVersion(s.doc.Version)
	if err == nil && err2 == nil && since.GreaterThan(version) {
		say("deprecated/since", fmt.Sprintf("deprecated since %s, and the contract's version is %s", since, version))
	}
}

func judgeSuccessor(s *subject, _ []*subject, say func(clause, message string)) {
	if d := s.doc.Deprecated; d != nil && d.ReplacedBy == "" && strings.TrimSpace(d.Note) == "" {
		say("deprecated", "the deprecation names no replacement and has no note")
	}
}

// judgeReplacement says nothing of a replacement that is not among the tools: it may be another server's.
func judgeReplacement(s *subject, all []*subject, say func(clause, message string)) {
	d := s.doc.Deprecated
	if d == nil || d.ReplacedBy == "" {
		return
	}
	for _, other := range all {
		if other.doc.Name != d.ReplacedBy && !slices.Contains(other.doc.Aliases, d.ReplacedBy) {
			continue
		}
		switch {
		case other.doc.Name == s.doc.Name:
			say("deprecated/replacedBy", "the tool replaces itself")
		case other.isForbidden():
			say("deprecated/replacedBy", fmt.Sprintf("the replacement %s is forbidden", other.doc.Name))
		case other.doc.Deprecated != nil:
			say("deprecated/replacedBy", fmt.Sprintf("the replacement %s is deprecated too", other.doc.Name))
		}
		return
	}
}

// verbs begin the last part of a name that speaks of a change. A verb that also names a mere calculation, such as add,
// is not among them.
var verbs = []string{
	"cancel", "charge", "create", "delete", "destroy", "drop", "grant", "insert", "pay", "publish", "purge", "refund",
	"remove", "rename", "revoke", "send", "transfer", "update", "write",
}

func judgeVerb(s *subject, _ []*subject, say func(clause, message string)) {
	if s.writes() {
		return
	}
	last := s.doc.Name[strings.LastIndex(s.doc.Name, ".")+1:]
	first, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(last), "-", "_"), "_")
	if slices.Contains(verbs, first) {
		say("effect", fmt.Sprintf("the effect is read-only and the name says %s", first))
	}
}

// judgeHints reports what the hints are guessed from. A write without any side effect is sideEffects.missing.
func judgeHints(s *subject, _ []*subject, say func(clause, message string)) {
	for i, e := range s.doc.SideEffects {
		clause := fmt.Sprintf("sideEffects/%d", i)
		if e.Undo == contract.UndeclaredUndo {
			say(clause+"/undo", "destructiveHint is true because undo is not said")
		}
		if e.Reach == contract.UndeclaredReach {
			say(clause+"/reach", "openWorldHint is true because reach is not said")
		}
	}
}
