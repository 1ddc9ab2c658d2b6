package compat

import (
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

func (d *differ) identity() {
	old, now := &d.old, &d.now
	if old.Format != now.Format {
		d.add("format.changed", "/format", old.Format, now.Format)
	}
	renamed := old.Name != now.Name
	switch {
	case renamed && slices.Contains(now.Aliases, old.Name):
		d.add("name.changed", "/name", old.Name, now.Name)
	case renamed:
		d.add("name.replaced", "/name", old.Name, now.Name)
	}
	d.text("title.changed", "/title", old.Title, now.Title)
	d.text("description.changed", "/description", old.Description, now.Description)
	d.text("category.changed", "/category", old.Category, now.Category)
	d.metadata()
	d.text("version.changed", "/version", old.Version, now.Version)
	d.deprecation()
	d.aliases(renamed)
	d.auditEvent()
}

// text records a text that changed, by a rule for which the direction is no
// matter. An empty text is nothing.
func (d *differ) text(rule, pointer, from, to string) {
	if from != to {
		d.add(rule, pointer, orNothing(from), orNothing(to))
	}
}

// orNothing is nil for a zero value, so that a change is from nothing or to it.
func orNothing[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// stated records that two values which mean the same are written differently.
func (d *differ) stated(pointer string, from, to any, same bool) {
	if !same {
		d.add("default.stated", pointer, from, to)
	}
}

// set compares two lists whose order means nothing, word by word.
func (d *differ) set(pointer string, old, now []string, added, removed string) {
	changed := false
	for _, word := range old {
		if !slices.Contains(now, word) {
			d.add(removed, pointer, word, nil)
			changed = true
		}
	}
	for _, word := range now {
		if !slices.Contains(old, word) {
			d.add(added, pointer, nil, word)
			changed = true
		}
	}
	if !changed && !slices.Equal(old, now) {
		d.add("order.changed", pointer, old, now)
	}
}

func (d *differ) metadata() {
	names := map[string]bool{}
	for name := range d.old.Metadata {
		names[name] = true
	}
	for name := range d.now.Metadata {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		from, had := d.old.Metadata[name]
		to, has := d.now.Metadata[name]
		if had != has || !reflect.DeepEqual(from, to) {
			d.add("metadata.changed", jsonptr.Join("metadata", name), from, to)
		}
	}
}

func (d *differ) deprecation() {
	old, now := d.old.Deprecated, d.now.Deprecated
	switch {
	case old == nil && now == nil:
	case old == nil:
		d.add("deprecated.added", "/deprecated", nil, now)
	case now == nil:
		d.add("deprecated.removed", "/deprecated", old, nil)
	case *old != *now:
		d.add("deprecated.changed", "/deprecated", old, now)
	}
}

// aliases compares the other names. Of a renamed tool, the old name among the
// aliases is what makes it renamed, and the new name is one still.
func (d *differ) aliases(renamed bool) {
	old, now := d.old.Aliases, d.now.Aliases
	if renamed {
		isName := func(alias string) bool { return alias == d.old.Name || alias == d.now.Name }
		old = slices.DeleteFunc(slices.Clone(old), isName)
		now = slices.DeleteFunc(slices.Clone(now), isName)
	}
	changed := false
	for _, alias := range old {
		if !slices.Contains(now, alias) {
			d.addReason("alias.removed", "/aliases", alias, nil, aliasEnd(d.old.Version))
			changed = true
		}
	}
	for _, alias := range now {
		if !slices.Contains(old, alias) {
			d.add("alias.added", "/aliases", nil, alias)
			changed = true
		}
	}
	if !changed && !slices.Equal(old, now) {
		d.add("order.changed", "/aliases", old, now)
	}
}

// aliasEnd says from which version an alias may go. An alias is a deprecated
// name from the day it is one, so it needs no further notice.
func aliasEnd(version string) string {
	v, err := RemovableFrom(version)
	if err != nil {
		return ""
	}
	return "It may go from version " + v + "."
}

// auditEvent compares the names under which calls are audited. The tool's own
// name follows the tool's.
func (d *differ) auditEvent() {
	old, now := d.old.AuditEvent, d.now.AuditEvent
	follows := func(s side) bool { return s.effective.AuditEvent == s.Name }
	if follows(d.old) && follows(d.now) {
		d.stated("/auditEvent", orNothing(old), orNothing(now), (old == "") == (now == ""))
		return
	}
	d.text("auditEvent.changed", "/auditEvent", old, now)
}
