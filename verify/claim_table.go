package verify

import "slices"

// The rules that claims have, in the order of [Claims].
const (
	ruleNotReached        = "handler.notReached"
	ruleNeverSucceeded    = "handler.neverSucceeded"
	rulePanic             = "handler.panic"
	ruleReadOnlyEffect    = "readonly.effect"
	ruleReachExternal     = "reach.external"
	ruleSecondEffect      = "idempotent.secondEffect"
	ruleSecondAnswer      = "idempotent.secondAnswer"
	ruleRanTwice          = "idempotent.ranTwice"
	ruleDryRunEffect      = "dryrun.effect"
	rulePreviewDiffers    = "dryrun.previewDiffers"
	ruleFailureUndeclared = "failure.undeclared"
	ruleFailureEffect     = "failure.effect"
	ruleFailureNeverSeen  = "failure.neverSeen"
	ruleOutputInvalid     = "output.invalid"
	ruleOutputSize        = "output.size"
	ruleControlCharacters = "output.controlCharacters"
	ruleLeak              = "secret.leak"
	ruleInvalidReached    = "invalid.reachedHandler"
	ruleResolveHigher     = "resolve.higher"
	ruleResolveLower      = "resolve.lower"
	ruleDeadlineIgnored   = "deadline.ignored"
	ruleOtherTenant       = "sequence.otherTenant"
	ruleDeleted           = "sequence.deleted"
	ruleHistory           = "idempotent.history"
	ruleNotAtomic         = "idempotent.notAtomic"
	ruleReconcileUntrue   = "reconcile.untrue"
	ruleReconcileEffect   = "reconcile.effect"
	ruleReconcileNoAnswer = "reconcile.noAnswer"
)

// A Claim is something that a contract promises about calls, and that [Tool]
// and the other functions judge.
type Claim struct {
	// ID is the ID of the claim's rule, as in [Judgement].Rule.
	ID string
	// Clause is the clause of the contract that makes the claim. Empty: every
	// contract makes it.
	Clause string
	// Summary is the claim in words.
	Summary string
	// Remedy is what to do if a call contradicts it.
	Remedy string
}

// claimTable has every claim. It never changes; [Claims] returns copies.
var claimTable = []Claim{
	{
		ID:      ruleNotReached,
		Summary: "At least one case reaches the handler.",
		Remedy:  "give a Case whose input the tool accepts, or WithSetup or WithCallers",
	},
	{
		ID:      ruleNeverSucceeded,
		Summary: "At least one call succeeds.",
		Remedy:  "give a Case whose call succeeds, or the surroundings that it needs by WithSetup or WithFixture",
	},
	{
		ID:      rulePanic,
		Summary: "The handler does not panic.",
		Remedy:  "return a declared failure in place of the panic",
	},
	{
		ID: ruleReadOnlyEffect, Clause: "effect",
		Summary: "A read-only call changes nothing.",
		Remedy:  "declare the write, or remove it from the handler; allow bookkeeping by WithAllowance",
	},
	{
		ID: ruleReachExternal, Clause: "sideEffects",
		Summary: "A call whose reach is internal connects to nothing beyond the machine.",
		Remedy:  "declare the reach external, or untrusted content for a read; allow an address of your own by WithAllowance",
	},
	{
		ID: ruleSecondEffect, Clause: "idempotency",
		Summary: "The repetition of a native idempotent call changes nothing more.",
		Remedy:  "make the repetition change nothing, or declare managed idempotency",
	},
	{
		ID: ruleSecondAnswer, Clause: "idempotency",
		Summary: "The repetition of an idempotent call has the answer of the first.",
		Remedy: "answer as the first call did, name the code in onRepeat, or declare managed idempotency, " +
			"which replays the answer; name members that may differ by WithVolatile",
	},
	{
		ID: ruleRanTwice, Clause: "idempotency",
		Summary: "The repetition of a managed call does not run the handler again after an effect.",
		Remedy:  "return a failure with EffectPossible after an effect, and let ReplayUntil end later",
	},
	{
		ID: ruleDryRunEffect, Clause: "dryRun",
		Summary: "A dry run changes nothing.",
		Remedy:  "remove the change from the function of the dry run; allow bookkeeping by WithAllowance",
	},
	{
		ID: rulePreviewDiffers, Clause: "dryRun",
		Summary: "A dry run shows what the call then does.",
		Remedy:  "compute the preview as the call computes its result; name members that may differ by WithVolatile",
	},
	{
		ID: ruleFailureUndeclared, Clause: "failureModes",
		Summary: "Every error of the handler is declared.",
		Remedy:  "declare the failure, or map the error to a declared one; callers see internal_error otherwise",
	},
	{
		ID: ruleFailureEffect, Clause: "failureModes",
		Summary: "A failure that is declared without an effect has none.",
		Remedy:  "declare the failure with EffectPossible, or fail before the change",
	},
	{
		ID: ruleFailureNeverSeen, Clause: "failureModes",
		Summary: "Every declared failure is provoked by a case.",
		Remedy:  "give a Case that provokes it, or remove its declaration",
	},
	{
		ID: ruleOutputInvalid, Clause: "outputSchema",
		Summary: "Every result fits the output schema.",
		Remedy:  "return a result that fits, or declare what the handler returns",
	},
	{
		ID: ruleOutputSize, Clause: "maxResultBytes",
		Summary: "Every result fits the declared size.",
		Remedy:  "return less, such as a page of it, or declare a larger maxResultBytes",
	},
	{
		ID: ruleControlCharacters, Clause: "contentTrust",
		Summary: "Trusted results have no characters that the guard removes.",
		Remedy:  "remove control and invisible characters in the handler, or declare untrusted content",
	},
	{
		ID: ruleLeak, Clause: "inputSchema",
		Summary: "Values of sensitive and secret fields do not leave the server.",
		Remedy:  "leave the value out; tag an output field contract:\"sensitive\" if it returns one",
	},
	{
		ID: ruleInvalidReached, Clause: "inputSchema",
		Summary: "Arguments that do not fit the input schema do not reach the handler.",
		Remedy:  "correct the input schema or the type of the input",
	},
	{
		ID: ruleResolveHigher, Clause: "resolve",
		Summary: "Resolve only weakens the contract.",
		Remedy:  "declare the stricter clause, and let Resolve weaken it",
	},
	{
		ID: ruleResolveLower, Clause: "resolves",
		Summary: "Resolve weakens no call below its Least, and some calls that far.",
		Remedy:  "declare the Least that some arguments have, and give a Case that has it",
	},
	{
		ID: ruleDeadlineIgnored, Clause: "timeoutMs",
		Summary: "The handler ends with its context.",
		Remedy:  "pass the context on, and return when it ends",
	},
	{
		ID:      ruleOtherTenant,
		Summary: "A caller sees and uses nothing of another tenant.",
		Remedy:  "compare the tenant of guard.PrincipalFrom with that of the resource, or declare the Resource shared",
	},
	{
		ID:      ruleDeleted,
		Summary: "A resource cannot be used after it was deleted.",
		Remedy:  "fail with a declared failure if the resource is gone",
	},
	{
		ID: ruleHistory, Clause: "idempotency",
		Summary: "Concurrent calls of one key have one outcome.",
		Remedy:  "let the store claim a key in one atomic step, and declare what a failure may leave behind",
	},
	{
		ID: ruleNotAtomic, Clause: "idempotency",
		Summary: "The effect of an atomic call is there when the call is committed, and not before.",
		Remedy:  "let the handler write only in the transaction of the call, such as by sqlstore.Tx",
	},
	{
		ID: ruleReconcileUntrue, Clause: "reconcile",
		Summary: "Reconcile answers what became of a call, and no answer lets the effect happen twice.",
		Remedy: "answer Happened with the result of the call, CannotHappen only once the system refuses the key, " +
			"and NotKnown in case of doubt; declare a Quiet that is long enough",
	},
	{
		ID: ruleReconcileEffect, Clause: "reconcile",
		Summary: "Reconcile changes nothing, except that it lets the system refuse a key.",
		Remedy:  "ask the system, and leave the effect to the handler",
	},
	{
		ID: ruleReconcileNoAnswer, Clause: "reconcile",
		Summary: "Reconcile does not panic, and ends with its context.",
		Remedy:  "return an error or NotKnown in place of a panic, pass the context on, and return when it ends",
	},
}

// Claims returns all claims in a fixed order. The slice belongs to the caller.
func Claims() []Claim { return slices.Clone(claimTable) }

// claimNamed returns the claim with the ID of one of this package's rules.
func claimNamed(rule string) Claim {
	for _, c := range claimTable {
		if c.ID == rule {
			return c
		}
	}
	return Claim{ID: rule}
}
