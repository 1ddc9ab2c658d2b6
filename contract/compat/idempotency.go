package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
)

func (d *differ) idempotency() {
	const pointer = "/idempotency"
	old, now := d.old.effective.Idempotency, d.now.effective.Idempotency
	from, to := d.old.Idempotency, d.now.Idempotency
	switch {
	case old.Mode == now.Mode:
		count := len(d.changes)
		if now.Mode == idempotency.Managed {
			d.managed(old, now)
		}
		d.stated(pointer, from, to, len(d.changes) > count || equalIdempotency(from, to))
	case now.Mode == idempotency.None:
		d.add("idempotency.removed", pointer, from, to)
	case old.Mode == idempotency.None:
		d.add("idempotency.added", pointer, from, to)
	case now.Mode == idempotency.Managed:
		d.add("idempotency.managed", pointer, from, to)
	default:
		d.add("idempotency.native", pointer, from, to)
	}
}

func equalIdempotency(a, b *contract.Idempotency) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Mode == b.Mode && slices.Equal(a.KeyFields, b.KeyFields) && a.ClientKey == b.ClientKey &&
		a.RetentionSeconds == b.RetentionSeconds && a.OnUnknown == b.OnUnknown
}

func (d *differ) managed(old, now *contract.Idempotency) {
	const pointer = "/idempotency"
	if !sameKeyFields(old.KeyFields, now.KeyFields) {
		d.add("idempotency.key", pointer+"/keyFields", listOrNothing(old.KeyFields), listOrNothing(now.KeyFields))
	} else if !slices.Equal(old.KeyFields, now.KeyFields) {
		d.add("order.changed", pointer+"/keyFields", old.KeyFields, now.KeyFields)
	}
	if old.ClientKey != now.ClientKey {
		d.add("idempotency.key", pointer+"/clientKey", old.ClientKey, now.ClientKey)
	}
	const retention = pointer + "/retentionSeconds"
	switch {
	case now.RetentionSeconds < old.RetentionSeconds:
		d.add("idempotency.retentionShorter", retention, old.RetentionSeconds, now.RetentionSeconds)
	case now.RetentionSeconds > old.RetentionSeconds:
		d.add("idempotency.retentionLonger", retention, old.RetentionSeconds, now.RetentionSeconds)
	}
	switch {
	case old.OnUnknown == now.OnUnknown:
	case now.OnUnknown == idempotency.Refuse:
		d.add("idempotency.refuses", pointer+"/onUnknown", old.OnUnknown, now.OnUnknown)
	default:
		d.add("idempotency.reruns", pointer+"/onUnknown", old.OnUnknown, now.OnUnknown)
	}
}

func sameKeyFields(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (d *differ) dryRun() {
	const pointer = "/dryRun"
	from, to := orNothing(d.old.DryRun), orNothing(d.now.DryRun)
	old, now := d.old.effective.DryRun, d.now.effective.DryRun
	switch {
	case old == now:
		d.stated(pointer, from, to, d.old.DryRun == d.now.DryRun)
	case now == dryrun.Required:
		d.add("dryRun.required", pointer, from, to)
	case now == dryrun.None:
		d.add("dryRun.removed", pointer, from, to)
	case old == dryrun.Required:
		d.add("dryRun.relaxed", pointer, from, to)
	default:
		d.add("dryRun.added", pointer, from, to)
	}
}
