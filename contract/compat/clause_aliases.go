package compat

import (
	"slices"
)

// aliasesClause compares the other names.
func aliasesClause() clause {
	return clause{
		rules: []Rule{
			{ID: "alias.added", Class: Additive,
				Summary: "The tool has one more alias.",
				Reason:  "One more name can be called."},
			{ID: "alias.removed", Class: Breaking,
				Summary: "An alias was removed.",
				Reason:  "Callers of that name get the error of an unknown tool."},
		},
		compare: (*differ).aliases,
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
