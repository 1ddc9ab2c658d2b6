package clausediff

import (
	"slices"

	"github.com/toolcontract/toolcontract/internal/declare"
)

func nameClauses() []clause {
	return []clause{
		(*differ).name,
		(*differ).aliases,
		(*differ).identity,
		func(d *differ) {
			old, now := d.old.Deprecated, d.now.Deprecated
			if present(d, "/deprecated", old, now, "deprecated.added", "deprecated.removed") && *old != *now {
				d.add("deprecated.changed", "/deprecated", old, now)
			}
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
		// When a tool is renamed, its old name becomes an alias, or an alias
		// becomes its name. The name clause reports both.
		isName := func(alias string) bool { return alias == d.old.Name || alias == d.now.Name }
		old = slices.DeleteFunc(slices.Clone(old), isName)
		now = slices.DeleteFunc(slices.Clone(now), isName)
	}
	d.set("/aliases", old, now, "alias.added", "alias.removed")
}

// identity compares the oldest names, which are part of call keys.
func (d *differ) identity() {
	old, now := declare.Oldest(d.old.Name, d.old.Aliases), declare.Oldest(d.now.Name, d.now.Aliases)
	if old == now || !d.old.effective.Idempotency.Mode.Deduplicates() || !d.now.effective.Idempotency.Mode.Deduplicates() {
		return
	}
	d.add("identity.changed", "/aliases", old, now)
}
