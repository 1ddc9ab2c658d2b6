package clausediff

import (
	"cmp"

	"github.com/toolcontract/toolcontract/contract"
)

func resolveClauses() []clause { return []clause{(*differ).resolves} }

// resolves compares the least that a call demands. Without Resolves, a contract
// demands everything from every call. A difference that only follows from
// another clause is reported there.
func (d *differ) resolves() {
	const pointer, higher, lower = "/resolves", "resolves.higher", "resolves.lower"
	if d.old.Resolves == nil && d.now.Resolves == nil {
		return
	}
	changed := d.changesIn(func() {
		old, now := written(d.old), written(d.now)
		before, after := least(d.old), least(d.now)
		if old.Effect != 0 || now.Effect != 0 {
			d.ordered(pointer+"/effect", old.Effect, now.Effect, cmp.Compare(after.Effect, before.Effect), higher, lower)
		}
		if old.Risk != 0 || now.Risk != 0 {
			d.ordered(pointer+"/risk", old.Risk, now.Risk, cmp.Compare(after.Risk, before.Risk), higher, lower)
		}
		if old.Confirmation != 0 || now.Confirmation != 0 {
			d.ordered(pointer+"/confirmation", old.Confirmation, now.Confirmation, cmp.Compare(after.Confirmation, before.Confirmation),
				higher, lower)
		}
		if old.Permissions != nil || now.Permissions != nil {
			d.set(pointer+"/permissions", before.Permissions, after.Permissions, higher, lower)
		}
	})
	if !changed {
		d.stated(pointer, d.old.Resolves, d.now.Resolves)
	}
}

// written returns the least as the contract has it.
func written(s side) contract.Least {
	if s.Resolves == nil {
		return contract.Least{}
	}
	return *s.Resolves
}

// least returns the least that applies to every call of a contract.
func least(s side) contract.Least {
	if s.effective.Resolves != nil {
		return *s.effective.Resolves
	}
	e := s.effective
	return contract.Least{Effect: e.Effect, Risk: e.Risk, Confirmation: e.Confirmation, Permissions: e.Permissions}
}
