package host

import (
	"fmt"
	"slices"
	"strings"
)

// A Host has the facts about one host, or about one directory of servers. [All]
// and [Find] return hosts. A Host is plain data: its methods do not change it.
type Host struct {
	// Name is the name for [Find], such as "vscode". Title is the name for
	// people, such as "VS Code".
	Name  string `json:"name"`
	Title string `json:"title"`
	// Version and Date are those of the newest version that was read. Since is
	// the month of the oldest facts.
	Version string `json:"version"`
	Date    string `json:"date"`
	Since   string `json:"since"`
	// Directory means that the host lists servers, and runs no calls.
	Directory bool `json:"directory,omitempty"`
	// Modes are its approval modes, the default first. It is empty if they are
	// not known.
	Modes []Mode `json:"modes"`
	// Names are facts about the names of tools, with Form, Keeps and Over.
	Names []Fact `json:"names"`
	// Facts are all other facts, each with a Topic.
	Facts []Fact `json:"facts"`
	// Capabilities are facts with a Capability and a Has.
	Capabilities []Fact `json:"capabilities"`
}

// A Fact is one thing that a host does.
type Fact struct {
	// Topic is what it is about: list, schema, result, question, call, hints,
	// key, prompt or time. Empty in Names and Capabilities.
	Topic string `json:"topic,omitempty"`
	// Rule is the rule of [Lint] that compares tools with it. It is empty if
	// there is none.
	Rule string `json:"rule,omitempty"`
	// Does is what the host does, as the end of a sentence that starts with the
	// host's title.
	Does string `json:"does,omitempty"`
	// Level is the level of findings, before its certainty lowers it.
	Level Level `json:"level,omitempty"`
	// Limit is the number that the rule compares with, and Keywords are the
	// words.
	Limit    int      `json:"limit,omitempty"`
	Keywords []string `json:"keywords,omitempty"`

	// Form is the name that a model gets, with {server} and {tool}. Keeps are
	// the characters kept besides letters and digits; the others become _, or
	// are refused if Other is "refuse". Prefix is the maximum length of the
	// part before the tool's name. Over is what the host does with a name
	// longer than Limit: "hash", "end" and "middle" cut it; "omit", "server"
	// and "refuse" reject it.
	Form   string `json:"form,omitempty"`
	Keeps  string `json:"keeps,omitempty"`
	Other  string `json:"other,omitempty"`
	Prefix int    `json:"prefix,omitempty"`
	Over   string `json:"over,omitempty"`

	// Capability is form, url, sampling, tasks or listChanged, and Has is "yes"
	// or "no".
	Capability string `json:"name,omitempty"`
	Has        string `json:"has,omitempty"`

	// Since is the first month or day on which the fact holds, and Until the
	// first on which it no longer does. An empty Since means as far back as the
	// host's facts go; an empty Until means that the fact still holds.
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`
	// Mark is the certainty, as in the package comment, and Source names what
	// was read. Uncertain means that the fact is doubtful despite its mark.
	Mark      string `json:"mark"`
	Source    string `json:"source"`
	Uncertain bool   `json:"uncertain,omitempty"`
}

// Confirmed reports whether the fact is certain enough for a warning: it was
// read in the source or the documentation, or users have reported it, and it is
// not marked as uncertain.
func (f Fact) Confirmed() bool {
	return !f.Uncertain && slices.Contains([]string{"src", "doc", "iss"}, f.Mark)
}

// level returns the level of the fact's findings.
func (f Fact) level() Level {
	switch {
	case !f.Confirmed():
		return Info
	case f.Mark == "iss" && f.Level == Error:
		return Warning
	}
	return f.Level
}

// holdsAt reports whether the fact holds at the end of a month, or on a day.
func (f Fact) holdsAt(date string) bool {
	return date == "" && f.Until == "" || date != "" && !isBefore(date, f.Since) && (f.Until == "" || isBefore(date, f.Until))
}

// isBefore compares two dates down to the precision that both have.
func isBefore(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] < b[:n]
}

// asOf returns the host with the facts as of a date. The empty date is today.
func (h Host) asOf(date string) Host {
	hold := func(facts []Fact) []Fact {
		return slices.DeleteFunc(slices.Clone(facts), func(f Fact) bool { return !f.holdsAt(date) })
	}
	h.Names, h.Facts, h.Capabilities = hold(h.Names), hold(h.Facts), hold(h.Capabilities)
	h.Modes = slices.DeleteFunc(slices.Clone(h.Modes), func(m Mode) bool { return !m.holdsAt(date) })
	return h
}

// Has returns the fact about a capability, such as "form". It has an empty Has
// if nothing is known.
func (h Host) Has(capability string) Fact {
	for _, f := range h.Capabilities {
		if f.Capability == capability {
			return f
		}
	}
	return Fact{}
}

// Find returns the hosts of a list such as "codex@2026-10,vscode". Each item is
// a name, and optionally the month or day whose facts count; the default is
// today. The empty list means all hosts but not the directories.
func Find(list string) ([]Host, error) {
	hosts := allFacts()
	if strings.TrimSpace(list) == "" {
		return slices.DeleteFunc(All(), func(h Host) bool { return h.Directory }), nil
	}
	var found []Host
	for word := range strings.SplitSeq(list, ",") {
		name, date, dated := strings.Cut(strings.TrimSpace(word), "@")
		i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("host: there is no host of that name; use %s", strings.Join(names(), ", "))
		case !dated:
			found = append(found, hosts[i].asOf(""))
		case !isDate(date):
			return nil, fmt.Errorf("host: the date of %s is not of the form 2026-10 or 2026-10-02", name)
		case isBefore(date, hosts[i].Since):
			return nil, fmt.Errorf("host: nothing is known about %s before %s", name, hosts[i].Since)
		default:
			found = append(found, hosts[i].asOf(date))
		}
	}
	return found, nil
}

func names() []string {
	var all []string
	for _, h := range allFacts() {
		all = append(all, h.Name)
	}
	return all
}

// All returns all hosts, with today's facts. The slice belongs to the caller.
func All() []Host {
	all := make([]Host, 0, len(allFacts()))
	for _, h := range allFacts() {
		all = append(all, h.asOf(""))
	}
	return all
}
