package clausediff

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

func repetitionClauses() []clause {
	return []clause{
		(*differ).idempotency,
		func(d *differ) {
			const pointer = "/reconcile"
			old, now := d.old.Reconcile, d.now.Reconcile
			if !present(d, pointer, old, now, "reconcile.added", "reconcile.removed") {
				return
			}
			// Zero is the longest time: a call that did not happen never runs.
			d.limit(pointer+"/quietSeconds", int64(old.Quiet/time.Second), int64(now.Quiet/time.Second), "reconcile.quietShorter",
				"reconcile.quietLonger")
		},
		// How often the same call may fail. A contract without a budget gets
		// the server's default, which is not part of the contract.
		func(d *differ) {
			const pointer = "/retryBudget"
			old, now := d.old.RetryBudget, d.now.RetryBudget
			if !present(d, pointer, old, now, "retryBudget.declared", "retryBudget.undeclared") {
				return
			}
			if now.Failures < old.Failures || now.Window > old.Window {
				d.add("retryBudget.lower", pointer, old, now)
			}
			if now.Failures > old.Failures || now.Window < old.Window {
				d.add("retryBudget.higher", pointer, old, now)
			}
		},
	}
}

func (d *differ) idempotency() {
	const pointer = "/idempotency"
	from, to := d.old.Idempotency, d.now.Idempotency
	old, now := d.old.effective.Idempotency, d.now.effective.Idempotency
	both := old.Mode.Deduplicates() && now.Mode.Deduplicates()
	if !both && now.Mode.Deduplicates() && now.KeyRequired {
		d.add("idempotency.keyRequired", pointer+"/keyRequired", nil, true)
	}
	switch {
	case old.Mode == now.Mode:
		if both && d.changesIn(func() { d.deduplicated(old, now) }) {
			return
		}
		d.stated(pointer, from, to)
	case both:
		rule := "idempotency.keyNeeded"
		if now.Mode == idempotency.Managed {
			rule = "idempotency.keyOptional"
		}
		d.add(rule, pointer+"/mode", old.Mode, now.Mode)
		d.deduplicated(old, now)
	case now.Mode == idempotency.None:
		d.add("idempotency.removed", pointer, from, to)
	case now.Mode == idempotency.Native && old.Mode != idempotency.None:
		d.add("idempotency.native", pointer, from, to)
	case now.Mode == idempotency.Keyed && old.Mode == idempotency.None:
		d.add("idempotency.keyOffered", pointer, from, to)
	case now.Mode == idempotency.Keyed:
		d.add("idempotency.keyNeeded", pointer, from, to)
	case old.Mode == idempotency.None:
		d.add("idempotency.added", pointer, from, to)
	default:
		d.add("idempotency.managed", pointer, from, to)
	}
}

// deduplicated compares two clauses that both make the guard deduplicate.
func (d *differ) deduplicated(old, now *contract.Idempotency) {
	const pointer = "/idempotency"
	if !sameWords(old.KeyFields, now.KeyFields) {
		d.add("idempotency.key", pointer+"/keyFields", orNil(old.KeyFields), orNil(now.KeyFields))
	} else if !slices.Equal(old.KeyFields, now.KeyFields) {
		d.add("order.changed", pointer+"/keyFields", old.KeyFields, now.KeyFields)
	}
	if old.ClientKey != now.ClientKey {
		d.add("idempotency.key", pointer+"/clientKey", old.ClientKey, now.ClientKey)
	}
	d.ordered(pointer+"/keyRequired", old.KeyRequired, now.KeyRequired, compareBools(old.KeyRequired, now.KeyRequired),
		"idempotency.keyRequired", "idempotency.keyNotRequired")
	d.ordered(pointer+"/retentionSeconds", int64(old.Retention/time.Second), int64(now.Retention/time.Second),
		cmp.Compare(now.Retention, old.Retention),
		"idempotency.retentionLonger", "idempotency.retentionShorter")
	if old.ArgumentsRetention > 0 && now.ArgumentsRetention > 0 { // otherwise another rule reports that the key is another one
		d.ordered(pointer+"/argumentsRetentionSeconds", int64(old.ArgumentsRetention/time.Second),
			int64(now.ArgumentsRetention/time.Second), cmp.Compare(now.ArgumentsRetention, old.ArgumentsRetention),
			"idempotency.retentionLonger", "idempotency.retentionShorter")
	}
	d.ordered(pointer+"/onUnknown", old.OnUnknown, now.OnUnknown,
		compareBools(old.OnUnknown == idempotency.Refuse, now.OnUnknown == idempotency.Refuse),
		"idempotency.refuses", "idempotency.reruns")
	d.ordered(pointer+"/atomic", old.Atomic, now.Atomic, compareBools(old.Atomic, now.Atomic), "idempotency.atomic",
		"idempotency.notAtomic")
}
