package compat

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

func repetitionClauses() []clause {
	return []clause{
		{
			rules: []Kind{
				{ID: "idempotency.added", Class: Additive,
					Summary: "A repeated call is safe now.",
					Reason:  "A call that is not repeated works as before."},
				{ID: "idempotency.removed", Class: Breaking, Downgrade: true,
					Summary: "A repeated call is no longer safe.",
					Reason:  "A repeated call has its effect twice."},
				{ID: "idempotency.managed", Class: Breaking,
					Summary: "The guard deduplicates, no longer the handler.",
					Reason:  "A repeated call is recognised for a limited time, and the same key with other arguments is refused."},
				{ID: "idempotency.native", Class: Breaking, Downgrade: true,
					Summary: "The handler deduplicates, no longer the guard.",
					Reason:  "No outcome is stored and replayed. Nothing checks that the handler deduplicates."},
				{ID: "idempotency.keyOffered", Class: Additive,
					Summary: "A repeated call with a key of the client is safe now.",
					Reason:  "A call without a key works as before."},
				{ID: "idempotency.keyNeeded", Class: Breaking, Downgrade: true,
					Summary: "Only a repeated call with a key of the client is safe.",
					Reason:  "A repeated call without a key has its effect twice."},
				{ID: "idempotency.keyOptional", Class: Breaking,
					Summary: "A repeated call is also safe without a key of the client.",
					Reason:  "A call that ran again without a key gets the outcome of the earlier call."},
				{ID: "idempotency.key", Class: Breaking, Downgrade: true,
					Summary: "Other fields, or another party, decide which calls are the same.",
					Reason:  "Calls that counted as one may be two, and calls that were two may be one."},
				{ID: "idempotency.retentionShorter", Class: Breaking, Downgrade: true,
					Summary: "An outcome is stored for less time.",
					Reason:  "A repeated call after that has its effect twice."},
				{ID: "idempotency.retentionLonger", Class: Breaking,
					Summary: "An outcome is stored for more time.",
					Reason:  "A call that ran again after the old time gets the old outcome."},
				{ID: "idempotency.refuses", Class: Breaking,
					Summary: "After an unknown outcome a repeated call is refused.",
					Reason:  "Callers that repeat such a call get outcome_unknown."},
				{ID: "idempotency.reruns", Class: Additive, Downgrade: true,
					Summary: "After an unknown outcome a repeated call runs.",
					Reason:  "Every call still works. An effect may happen twice."},
				{ID: "idempotency.atomic", Class: Additive,
					Summary: "A failed call has no effect, and no outcome is unknown.",
					Reason:  "Callers need not be prepared for an effect of a failed call any more."},
				{ID: "idempotency.notAtomic", Class: Breaking, Downgrade: true,
					Summary: "A failed call may have had its effect, and an outcome may be unknown.",
					Reason:  "Callers may rely on failed calls having no effect."},
			},
			compare: (*differ).idempotency,
		},
		// How often the same call may fail. A contract without a budget gets
		// the default of the server, which is not part of the contract.
		{
			rules: []Kind{
				{ID: "retryBudget.lower", Class: Breaking,
					Summary: "The retry budget allows fewer failures, or its window is longer.",
					Reason:  "A failing call that could be repeated may be refused."},
				{ID: "retryBudget.higher", Class: Additive,
					Summary: "The retry budget allows more failures, or its window is shorter.",
					Reason:  "A failing call can be repeated more often."},
				{ID: "retryBudget.declared", Class: Breaking, Unknown: true,
					Summary: "A retry budget was declared, or a declared one was removed.",
					Reason:  "The default of the server is not part of the contract, so the two cannot be compared."},
			},
			compare: func(d *differ) {
				const pointer = "/retryBudget"
				old, now := d.old.RetryBudget, d.now.RetryBudget
				switch {
				case !present(d, pointer, old, now, "retryBudget.declared", "retryBudget.declared"), *old == *now:
				case now.Failures >= old.Failures && now.Window <= old.Window:
					d.add("retryBudget.higher", pointer, old, now)
				default:
					d.add("retryBudget.lower", pointer, old, now)
				}
			},
		},
	}
}

func (d *differ) idempotency() {
	const pointer = "/idempotency"
	from, to := d.old.Idempotency, d.now.Idempotency
	old, now := d.old.effective.Idempotency, d.now.effective.Idempotency
	both := old.Mode.Deduplicates() && now.Mode.Deduplicates()
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

// deduplicated compares two clauses by which the guard deduplicates.
func (d *differ) deduplicated(old, now *contract.Idempotency) {
	const pointer = "/idempotency"
	if !sameWords(old.KeyFields, now.KeyFields) {
		d.add("idempotency.key", pointer+"/keyFields", listOrNothing(old.KeyFields), listOrNothing(now.KeyFields))
	} else if !slices.Equal(old.KeyFields, now.KeyFields) {
		d.add("order.changed", pointer+"/keyFields", old.KeyFields, now.KeyFields)
	}
	if old.ClientKey != now.ClientKey {
		d.add("idempotency.key", pointer+"/clientKey", old.ClientKey, now.ClientKey)
	}
	ordered(d, pointer+"/retentionSeconds", int64(old.Retention/time.Second), int64(now.Retention/time.Second),
		cmp.Compare(now.Retention, old.Retention),
		"idempotency.retentionLonger", "idempotency.retentionShorter")
	if old.ArgumentsRetention > 0 && now.ArgumentsRetention > 0 { // otherwise another rule reports that the key is another one
		ordered(d, pointer+"/argumentsRetentionSeconds", int64(old.ArgumentsRetention/time.Second),
			int64(now.ArgumentsRetention/time.Second), cmp.Compare(now.ArgumentsRetention, old.ArgumentsRetention),
			"idempotency.retentionLonger", "idempotency.retentionShorter")
	}
	ordered(d, pointer+"/onUnknown", old.OnUnknown, now.OnUnknown,
		compareBools(old.OnUnknown == idempotency.Refuse, now.OnUnknown == idempotency.Refuse),
		"idempotency.refuses", "idempotency.reruns")
	ordered(d, pointer+"/atomic", old.Atomic, now.Atomic, compareBools(old.Atomic, now.Atomic), "idempotency.atomic",
		"idempotency.notAtomic")
}
