package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/declare"
)

func nameClauses() []clause {
	return []clause{
		{
			rules: []Kind{
				{ID: "name.changed", Class: Additive,
					Summary: "A tool has another name and keeps the old one as an alias.",
					Reason:  "The old name can still be called, and the outcome names the new one."},
				{ID: "name.replaced", Class: Breaking,
					Summary: "A tool has another name, and the old one is not an alias.",
					Reason:  "Callers of the old name get the error of an unknown tool."},
			},
			compare: (*differ).name,
		},
		{
			rules: []Kind{
				{ID: "alias.added", Class: Additive,
					Summary: "The tool has one more alias.",
					Reason:  "One more name can be called."},
				{ID: "alias.removed", Class: Breaking,
					Summary: "An alias was removed.",
					Reason:  "Callers of that name get the error of an unknown tool."},
			},
			compare: (*differ).aliases,
		},
		{
			rules: []Kind{
				{ID: "identity.changed", Class: Breaking, Downgrade: true,
					Summary: "Another name is the oldest one of a tool whose calls the guard deduplicates.",
					Reason:  "The oldest name is in the keys of calls. A call that is repeated after the change has its effect twice."},
			},
			compare: (*differ).identity,
		},
		{
			rules: []Kind{
				{ID: "deprecated.added", Class: Additive,
					Summary: "The tool is deprecated.",
					Reason:  "It works as before and announces its removal: MINOR by SemVer §7."},
				{ID: "deprecated.removed", Class: Additive,
					Summary: "The tool is no longer deprecated.",
					Reason:  "Callers may rely on it again."},
				{ID: "deprecated.changed", Class: Patch,
					Summary: "The notice of deprecation changed.",
					Reason:  "The tool was deprecated and still is."},
			},
			compare: func(d *differ) {
				old, now := d.old.Deprecated, d.now.Deprecated
				if present(d, "/deprecated", old, now, "deprecated.added", "deprecated.removed") && *old != *now {
					d.add("deprecated.changed", "/deprecated", old, now)
				}
			},
		},
	}
}

func (d *differ) name() {
	old, now := d.old.Name, d.now.Name
	switch {
	case old == now:
	case slices.Contains(d.now.Aliases, old):
		d.add("name.changed", "/name", old, now)
	default:
		d.add("name.replaced", "/name", old, now)
	}
}

func (d *differ) aliases() {
	old, now := d.old.Aliases, d.now.Aliases
	if d.old.Name != d.now.Name {
		// Of a renamed tool, the old name becomes an alias, or an alias becomes
		// the name. The clause of the name reports both.
		isName := func(alias string) bool { return alias == d.old.Name || alias == d.now.Name }
		old = slices.DeleteFunc(slices.Clone(old), isName)
		now = slices.DeleteFunc(slices.Clone(now), isName)
	}
	d.set("/aliases", old, now, "alias.added", "alias.removed", aliasEnd(d.old.Version))
}

// identity compares the oldest names, which the keys of calls have.
func (d *differ) identity() {
	old, now := declare.Oldest(d.old.Name, d.old.Aliases), declare.Oldest(d.now.Name, d.now.Aliases)
	if old == now || !d.old.effective.Idempotency.Mode.Deduplicates() || !d.now.effective.Idempotency.Mode.Deduplicates() {
		return
	}
	d.addReason("identity.changed", "/aliases", old, now, "Put "+old+" first in aliases.")
}

// aliasEnd returns the sentence that names the version in which an alias may be
// removed. An alias is a deprecated name from the beginning, so it needs no
// notice.
func aliasEnd(version string) string {
	v, err := RemovableFrom(version)
	if err != nil {
		return ""
	}
	return "It may be removed from version " + v + " on."
}
