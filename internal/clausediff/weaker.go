package clausediff

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// A View decides what counts as weaker; package compat explains the two.
type View int

// The views.
const (
	Protections View = iota
	Claims
)

// Weaker returns the differences that make a contract weaker than the old one.
func Weaker(view View, old, now contract.Document) []Finding {
	return slices.DeleteFunc(Compare(old, now), func(f Finding) bool { return !Weakens(view, f.Rule) })
}

// Weakens reports whether a difference of this rule makes a contract weaker.
func Weakens(view View, rule string) bool {
	switch rule {
	case
		// What a call does, and how far its results are trusted.
		"effect.milder", "risk.lowered", "sideEffect.removed", "sideEffect.reachMilder", "sideEffect.undoMilder",
		"reversibility.lowered",
		"contentTrust.weaker", "contentTrust.other", "delimit.fewer", "sanitize.less", "reads.less", "sends.removed",
		// Who may call, and who is asked.
		"permission.removed", "discoverWith.widened", "objectAuthorization.removed", "principal.waived", "securityLevel.lowered",
		"confirmation.lowered", "autonomous.granted", "typedConfirmation.removed", "stepUp.removed", "stepUp.looser", "stepUp.acr",
		"dryRun.relaxed", "dryRun.removed", "resolves.lower",
		// What happens when a call is repeated.
		"identity.changed", "idempotency.removed", "idempotency.native", "idempotency.keyNeeded", "idempotency.key",
		"idempotency.keyNotRequired", "idempotency.retentionShorter", "idempotency.reruns", "idempotency.notAtomic",
		"reconcile.removed", "reconcile.quietShorter", "failure.effectImpossible",
		// How much a call may take.
		"rateLimit.higher", "rateLimit.undeclared", "totalRateLimit.higher", "retryBudget.higher", "retryBudget.undeclared",
		"timeout.longer", "maxConcurrent.higher", "maxResultBytes.larger", "maxArgumentBytes.larger",
		// What is recorded of it.
		"auditEvent.changed":
		return true
	case "idempotency.added", "idempotency.keyOptional":
		// These make callers repeat a call with less care, and nothing proves
		// that they may.
		return view == Claims
	}
	return false
}
