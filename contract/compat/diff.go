package compat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/clausediff"
	"github.com/toolcontract/toolcontract/risk"
)

// Diff compares two snapshots and returns every change, sorted by tool, pointer
// and rule. It returns nil for equal snapshots. [Kinds] lists how each kind of
// change is classified.
//
// Diff identifies a tool by its name. A tool was renamed if its old name is an
// alias of a tool in the new snapshot, or if its new name was an alias. Any
// other new name is one tool removed and one added.
//
// Schemas that are written differently but mean the same are not a change, for
// example if a reference is written out. So Diff may return nil for snapshots
// with different digests.
func Diff(old, now Snapshot) []Change {
	changes := slices.Concat(namesChanged(old, now), capabilitiesChanged(old, now))
	for _, p := range pairTools(old, now) {
		changes = slices.Concat(changes, p.changes(), p.capabilityChanges(old, now))
	}
	return sortChanges(changes)
}

// namesChanged returns the change of the naming, if it affects how an old tool
// is listed.
func namesChanged(old, now Snapshot) []Change {
	differs := func(d contract.Document) bool {
		return d.Risk != risk.Forbidden && old.Names.Listed(d.Name) != now.Names.Listed(d.Name)
	}
	if !slices.ContainsFunc(old.Tools, differs) {
		return nil
	}
	d := &recorder{}
	d.add("names.changed", "/names", old.Names, now.Names)
	return d.changes
}

// A toolPair is one tool in two snapshots, nil if a snapshot lacks it.
type toolPair struct {
	old, now *contract.Document
}

// pairTools pairs every old tool with the new tool of the same name; else with
// the tool that has the old name as an alias; else with the tool named like one
// of the old aliases, unless another tool had that name before. New tools
// without a partner form pairs of their own.
func pairTools(old, now Snapshot) []toolPair {
	from := old.sorted()
	to := now.sorted()
	byName := make(map[string]*contract.Document, len(to))
	byAlias := map[string]*contract.Document{}
	for i := range to {
		byName[to[i].Name] = &to[i]
		for _, alias := range to[i].Aliases {
			if byAlias[alias] == nil {
				byAlias[alias] = &to[i]
			}
		}
	}
	taken := make(map[string]bool, len(from))
	for i := range from {
		taken[from[i].Name] = true
	}
	underAlias := func(d *contract.Document) *contract.Document {
		for _, alias := range d.Aliases {
			if now := byName[alias]; now != nil && !taken[alias] {
				return now
			}
		}
		return nil
	}
	var pairs []toolPair
	paired := map[*contract.Document]bool{}
	for i := range from {
		p := toolPair{old: &from[i], now: byName[from[i].Name]}
		if p.now == nil {
			p.now = byAlias[from[i].Name]
		}
		if p.now == nil {
			p.now = underAlias(p.old)
		}
		paired[p.now] = true
		pairs = append(pairs, p)
	}
	for i := range to {
		if !paired[&to[i]] {
			pairs = append(pairs, toolPair{now: &to[i]})
		}
	}
	slices.SortStableFunc(pairs, func(a, b toolPair) int { return strings.Compare(a.name(), b.name()) })
	return pairs
}

func (p toolPair) name() string {
	if p.now != nil {
		return p.now.Name
	}
	return p.old.Name
}

// changes compares the two contracts of the tool.
func (p toolPair) changes() []Change {
	d := &recorder{tool: p.name()}
	switch {
	case p.old == nil:
		d.add("tool.added", "", nil, p.now.Version)
	case p.now == nil && p.old.Deprecated != nil:
		d.add("tool.retired", "", p.old.Version, nil)
	case p.now == nil:
		d.add("tool.removed", "", p.old.Version, nil)
	default:
		for _, f := range clausediff.Compare(*p.old, *p.now) {
			d.addReason(f.Rule, f.Pointer, f.From, f.To, p.advice(f))
		}
		d.schemas(*p.old, *p.now)
	}
	return d.changes
}

// advice returns an extra sentence about a difference, if there is one.
func (p toolPair) advice(f clausediff.Finding) string {
	switch f.Rule {
	case "alias.removed":
		// An alias is a deprecated name from the beginning, so it needs no
		// notice.
		if version, err := RemovableFrom(p.old.Version); err == nil {
			return "It may be removed from version " + version + " on."
		}
	case "identity.changed":
		return fmt.Sprintf("Put %s first in aliases.", f.From)
	}
	return ""
}
