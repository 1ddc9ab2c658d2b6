package compat

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// Diff compares two snapshots and returns every change, sorted by tool, pointer
// and rule. Equal snapshots give nil. See [Rules] for how each kind of change
// is classified.
//
// A tool is known by its name. One whose old name is an alias of a tool of the
// new snapshot was renamed, and is compared with that tool; so is one of which
// an old alias is the new name. A tool renamed without either is one removed and
// one added. Schemas that are
// written differently and mean the same, such as one with a reference written
// out, are no change: snapshots of which Diff says nothing may have different
// digests.
func Diff(old, now Snapshot) []Change {
	var changes []Change
	for _, p := range pairTools(old, now) {
		changes = append(changes, p.changes()...)
	}
	return sortChanges(changes)
}

// DiffDocuments compares two contracts of one tool as [Diff] does; where their
// names differ the tool was renamed, and the change of name is breaking unless
// the old name is an alias of the new contract.
func DiffDocuments(old, now contract.Document) []Change {
	return sortChanges(toolPair{&old, &now}.changes())
}

// A toolPair is one tool in two snapshots; nil where it is missing.
type toolPair struct {
	old, now *contract.Document
}

// pairTools finds for every old tool the new one under its name, else the new
// one that has its name as an alias, else the one under an old alias where that
// was no other tool's name, and lists the new tools that are left.
func pairTools(old, now Snapshot) []toolPair {
	from, to := old.sorted(), now.sorted()
	byName, byAlias := make(map[string]*contract.Document, len(to)), map[string]*contract.Document{}
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

func (p toolPair) changes() []Change {
	d := &differ{tool: p.name()}
	switch {
	case p.old == nil:
		d.add("tool.added", "", nil, p.now.Version)
	case p.now == nil && p.old.Deprecated != nil:
		d.add("tool.retired", "", p.old.Version, nil)
	case p.now == nil:
		d.add("tool.removed", "", p.old.Version, nil)
	default:
		d.old, d.now = side{*p.old, p.old.Effective()}, side{*p.now, p.now.Effective()}
		d.compare()
	}
	return d.changes
}

// A differ compares two contracts of one tool. Each method reads one concern,
// in the document's order.
type differ struct {
	tool     string
	old, now side
	changes  []Change
}

// A side is one contract of a comparison: as it is written, and as it counts.
type side struct {
	contract.Document
	effective contract.Document
}

func (d *differ) compare() {
	d.identity()
	d.levels()
	d.consent()
	d.access()
	d.sideEffects()
	d.idempotency()
	d.dryRun()
	d.failures()
	d.limits()
	d.schemas()
	d.unknownMembers()
}

// add records a change by a rule of the table, which says all about it. from
// and to are what the JSON of the change is made of; nil is nothing.
func (d *differ) add(rule, pointer string, from, to any) {
	d.addReason(rule, pointer, from, to, "")
}

// addReason is add with something to say about this very change.
func (d *differ) addReason(rule, pointer string, from, to any, more string) {
	r := diffRuleByID[rule]
	reason := r.Reason
	if more != "" {
		reason += " " + more
	}
	d.changes = append(d.changes, Change{
		Tool: d.tool, Pointer: pointer, Rule: rule, From: changeJSON(from), To: changeJSON(to),
		Class: r.Class, Downgrade: r.Downgrade, Unknown: r.Unknown, Reason: reason,
	})
}

// changeJSON writes a part of a document. What cannot be written, such as an
// undeclared value, is nothing.
func changeJSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil || string(data) == "null" {
		return nil
	}
	return data
}
