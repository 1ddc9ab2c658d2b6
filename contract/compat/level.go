package compat

import "github.com/toolcontract/toolcontract/risk"

func (d *differ) levels() {
	d.risk()
	d.effect()
	d.principal()
	d.securityLevel()
	d.contentTrust()
}

func (d *differ) risk() {
	const pointer = "/risk"
	from, to := orNothing(d.old.Risk), orNothing(d.now.Risk)
	old, now := d.old.effective.Risk, d.now.effective.Risk
	switch {
	case old == now:
		d.stated(pointer, from, to, d.old.Risk == d.now.Risk)
	case now == risk.Forbidden:
		d.add("risk.forbidden", pointer, from, to)
	case now.AtLeast(old):
		d.add("risk.raised", pointer, from, to)
	default:
		d.add("risk.lowered", pointer, from, to)
	}
}

func (d *differ) effect() {
	const pointer = "/effect"
	from, to := orNothing(d.old.Effect), orNothing(d.now.Effect)
	old, now := d.old.effective.Effect, d.now.effective.Effect
	switch {
	case old == now:
		d.stated(pointer, from, to, d.old.Effect == d.now.Effect)
	case now.AtLeast(old):
		d.add("effect.graver", pointer, from, to)
	default:
		d.add("effect.milder", pointer, from, to)
	}
}

// principal compares what several clauses together demand of anonymous callers.
func (d *differ) principal() {
	old, now := d.old.NeedsPrincipal(), d.now.NeedsPrincipal()
	switch {
	case now && !old:
		d.add("principal.demanded", "", nil, nil)
	case old && !now:
		d.add("principal.waived", "", nil, nil)
	}
}

func (d *differ) securityLevel() {
	const pointer = "/securityLevel"
	old, now := d.old.SecurityLevel, d.now.SecurityLevel
	band := func(s risk.SecurityLevel) [3]bool {
		return [3]bool{s.NeedsPrincipal(), s.NeedsPermissions(), s.NeedsVerification()}
	}
	switch {
	case old == now:
	case now < old:
		d.add("securityLevel.lowered", pointer, old, now)
	case band(old) == band(now):
		d.add("securityLevel.adjusted", pointer, old, now)
	default:
		d.add("securityLevel.raised", pointer, old, now)
	}
}

func (d *differ) contentTrust() {
	const pointer = "/contentTrust"
	from, to := orNothing(d.old.ContentTrust), orNothing(d.now.ContentTrust)
	old, now := d.old.effective.ContentTrust, d.now.effective.ContentTrust
	switch givesUp, demands := now.IsWeakerThan(old), old.IsWeakerThan(now); {
	case old == now:
		d.stated(pointer, from, to, d.old.ContentTrust == d.now.ContentTrust)
	case givesUp && demands:
		d.add("contentTrust.other", pointer, from, to)
	case givesUp:
		d.add("contentTrust.weaker", pointer, from, to)
	default:
		d.add("contentTrust.stricter", pointer, from, to)
	}
}
