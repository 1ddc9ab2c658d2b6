package compat

import "slices"

// A Rule says how [Diff] classifies one kind of change. A rule has one
// class and is a downgrade always or never: what depends on the direction of a
// change is two rules.
type Rule struct {
	// ID is stable: a [Change] carries it.
	ID string
	// Class says which number of the version the change asks for.
	Class Class
	// Downgrade says that a care or protection is weaker after the change.
	Downgrade bool
	// Unknown says that it cannot be told which way the change goes.
	Unknown bool
	// Summary says what changed.
	Summary string
	// Reason says why it has its class, seen from the caller and, of a
	// downgrade, from the operator.
	Reason string
}

// Rules returns the rules of [Diff] in the order in which a contract is
// read: those of the clauses, then those of the schemas, where each kind has a
// rule for the input and the output, narrowed and widened.
func Rules() []Rule { return slices.Concat(clauseDiffRules, schemaDiffRules()) }

// diffRuleByID is never written to.
var diffRuleByID = func() map[string]Rule {
	byID := map[string]Rule{}
	for _, r := range Rules() {
		byID[r.ID] = r
	}
	return byID
}()

// clauseDiffRules is never written to; Rules hands out copies.
var clauseDiffRules = []Rule{
	{"tool.added", Additive, false, false, "A tool is new.", "Nobody called it yet."},
	{"tool.removed", Breaking, false, false, "A tool is gone.", "Its callers get the answer of an unknown tool."},
	{"tool.retired", Breaking, false, false, "A deprecated tool is gone.", "Its callers were warned and still get the answer of an unknown tool."},
	{"format.changed", Breaking, false, true, "The wire form is another one.", "What another wire form means cannot be compared."},
	{"name.changed", Additive, false, false, "A tool has another name and keeps the old one as an alias.", "The old name can still be called, and the outcome tells the new one."},
	{"name.replaced", Breaking, false, false, "A tool has another name, and the old one is no alias.", "Callers by the old name get the answer of an unknown tool."},
	{"title.changed", Patch, false, false, "The title changed.", "It is for people."},
	{"description.changed", Patch, false, false, "The description changed.", "It is documentation; review it all the same, for models act on it."},
	{"category.changed", Patch, false, false, "The category changed.", "It is for filters and for people."},
	{"metadata.changed", Patch, false, false, "A member of the metadata changed.", "It is for people, agents and filters; nothing enforces it."},
	{"version.changed", Patch, false, false, "The version changed.", "Whether it changed by enough is for CheckVersions to say."},
	{"deprecated.added", Additive, false, false, "The tool is deprecated.", "It works as before and says that it will go: MINOR by SemVer §7."},
	{"deprecated.removed", Additive, false, false, "The tool is no longer deprecated.", "Callers may rely on it again."},
	{"deprecated.changed", Patch, false, false, "The notice of deprecation changed.", "The tool was deprecated and is so still."},
	{"alias.added", Additive, false, false, "The tool has one more alias.", "One more name can be called."},
	{"alias.removed", Breaking, false, false, "An alias is gone.", "Callers by that name get the answer of an unknown tool."},

	{"risk.raised", Breaking, false, false, "The risk is higher.", "What ran alone may be asked about, refused to anonymous callers, or withheld by a caller's policy."},
	{"risk.forbidden", Breaking, false, false, "The tool is forbidden.", "It is not listed any more and answers as an unknown tool."},
	{"risk.lowered", Additive, true, false, "The risk is lower.", "Every call still works; less care is taken of it."},
	{"effect.graver", Breaking, false, false, "The effect is graver.", "A call does more than its callers agreed to."},
	{"effect.milder", Additive, true, false, "The effect is milder.", "Every call still works; hosts and people take less care of it."},
	{"principal.demanded", Breaking, false, false, "An anonymous caller is refused now.", "Callers that do not authenticate get unauthenticated."},
	{"principal.waived", Additive, true, false, "An anonymous caller is admitted now.", "Every call still works; callers whom nobody knows may call too."},
	{"securityLevel.raised", Breaking, false, false, "The security level is in a higher band.", "A caller has to prove more than before."},
	{"securityLevel.adjusted", Patch, false, false, "The security level is higher, in the same band.", "A caller has to prove the same as before."},
	{"securityLevel.lowered", Additive, true, false, "The security level is lower.", "Every call still works; callers have less to prove."},
	{"contentTrust.stricter", Breaking, false, false, "The content is less to be trusted.", "Callers took results with less care than is needed now, and may refuse them."},
	{"contentTrust.weaker", Additive, true, false, "The content is more to be trusted.", "Every result can be used as before; consumers take less care of it."},
	{"contentTrust.other", Breaking, true, false, "The content needs another kind of care.", "Neither care includes the other: callers have to take one that they did not take, and give up one that they did."},

	{"confirmation.raised", Breaking, false, false, "A person is asked more often.", "A client that cannot ask is refused, and one that can may get a no."},
	{"confirmation.lowered", Additive, true, false, "A person is asked less often.", "Every call still works; fewer are seen by a person first."},
	{"confirmationReason.changed", Patch, false, false, "The reason why a person is never asked changed.", "It is for people."},
	{"autonomous.granted", Additive, true, false, "An agent may run the tool without a person.", "Every call still works; no person need be there."},
	{"autonomous.revoked", Breaking, false, false, "An agent may not run the tool without a person.", "Agents that ran alone need a person now."},
	{"stepUp.added", Breaking, false, false, "A step-up is demanded.", "A caller has to authenticate again, more recently or more strongly."},
	{"stepUp.removed", Additive, true, false, "No step-up is demanded.", "Every call still works; a valid session is enough."},
	{"stepUp.stricter", Breaking, false, false, "A step-up demands more.", "A caller's authentication may be too old or too weak now."},
	{"stepUp.looser", Additive, true, false, "A step-up demands less.", "Every call still works; an older or weaker authentication is enough."},
	{"stepUp.acr", Breaking, true, false, "A step-up demands another authentication class.", "Classes have no order: callers with the old one are refused, and the new one may be weaker."},
	{"stepUp.when", Patch, false, false, "The words that say when a step-up is demanded changed.", "They are for people; the age and the class are what is enforced."},

	{"permission.added", Breaking, false, false, "One more permission is needed.", "Callers without it get permission_denied, and the tool is not in their list."},
	{"permission.removed", Additive, true, false, "A permission is not needed any more.", "Every call still works; callers without it may call too."},
	{"noPermissions.changed", Patch, false, false, "The reason why no permission is needed changed.", "It is for people; what is needed is in the permissions."},
	{"discoverWith.narrowed", Breaking, false, false, "One more permission is needed to see the tool.", "Callers without it do not find the tool any more."},
	{"discoverWith.widened", Additive, true, false, "A permission is not needed any more to see the tool.", "Every caller still finds it; callers without that permission learn of it too."},

	{"sideEffect.added", Breaking, false, false, "A call has one more side effect.", "A call does more than its callers agreed to."},
	{"sideEffect.removed", Additive, true, false, "A side effect is gone.", "Every call still works; hosts and people take less care of it."},
	{"sideEffects.declared", Patch, false, false, "The side effects of a write are declared.", "What counted as external and irreversible is now told."},
	{"sideEffects.undeclared", Breaking, false, false, "The side effects of a write are not declared any more.", "They count as external and irreversible now."},
	{"sideEffect.reachGraver", Breaking, false, false, "A side effect is external now.", "It reaches people or systems to which its callers did not agree."},
	{"sideEffect.reachMilder", Additive, true, false, "A side effect is internal now.", "Every call still works; hosts and people take less care of it."},
	{"sideEffect.undoGraver", Breaking, false, false, "A side effect is irreversible now.", "Callers could take it back."},
	{"sideEffect.undoMilder", Additive, true, false, "A side effect is reversible now.", "Every call still works; hosts and people take less care of it."},
	{"sideEffect.text", Patch, false, false, "The words of a side effect changed.", "They are for people and models; reach and undo are what is acted on."},

	{"idempotency.added", Additive, false, false, "A repetition is safe now.", "A call that is not repeated works as before."},
	{"idempotency.removed", Breaking, true, false, "A repetition is not safe any more.", "Callers that repeat a call have its effect twice."},
	{"idempotency.managed", Breaking, false, false, "The guard deduplicates, no longer the handler.", "A repetition is recognised for a time only, and the key with other arguments is refused."},
	{"idempotency.native", Breaking, true, false, "The handler deduplicates, no longer the guard.", "No outcome is kept and replayed; that a repetition is safe is the handler's word."},
	{"idempotency.key", Breaking, true, false, "Other fields, or another party, say which calls are the same.", "Calls that counted as one may be two, and calls that were two may be one."},
	{"idempotency.retentionShorter", Breaking, true, false, "An outcome is kept for less time.", "A repetition after that has its effect twice."},
	{"idempotency.retentionLonger", Breaking, false, false, "An outcome is kept for more time.", "A call that ran again after the old time is answered with the old outcome."},
	{"idempotency.refuses", Breaking, false, false, "After an unknown outcome a repetition is refused.", "Callers that repeated such a call get outcome_unknown."},
	{"idempotency.reruns", Additive, true, false, "After an unknown outcome a repetition runs.", "Every call still works; an effect may happen twice."},

	{"dryRun.added", Additive, false, false, "A dry run is possible.", "Calls without it work as before."},
	{"dryRun.required", Breaking, false, false, "A dry run has to come first.", "Calls without it get dry_run_required."},
	{"dryRun.relaxed", Additive, true, false, "A dry run need not come first any more.", "Every call still works; it may run without having been tried."},
	{"dryRun.removed", Breaking, true, false, "A dry run is not possible any more.", "Callers that try first are refused, and nobody can see what a call would do."},
	{"auditEvent.changed", Patch, true, false, "The audit event has another name.", "No caller sees it; searches and alarms for the old name find nothing any more."},

	{"failure.added", Additive, false, false, "The tool has one more failure.", "The class in the outcome tells callers what to do with a code that they do not know."},
	{"failure.removed", Patch, false, false, "A failure is gone.", "Nobody need expect it any more."},
	{"failure.nowFatal", Breaking, false, false, "A failure is fatal now.", "Callers that tried again have to stop."},
	{"failure.nowRetryable", Additive, false, false, "A failure is retryable now.", "Callers that stopped may stop still."},
	{"failure.effectPossible", Breaking, false, false, "A failure may have had its effect.", "A repetition that was safe may have the effect twice."},
	{"failure.effectImpossible", Additive, true, false, "A failure has had no effect.", "Every caller may do as before; a managed call is run again after it."},
	{"failure.by", Patch, false, false, "A failure is answered by the tool instead of the guard, or the other way.", "Code and class are what callers act on."},
	{"failure.text", Patch, false, false, "The description of a failure changed.", "It is for people and models; code and class are what is acted on."},
	{"failures.guard", Patch, false, false, "The guard's lines in the list of failures changed.", "They follow from the other clauses, whose changes have their own classes."},

	{"rateLimit.lower", Breaking, false, false, "Not all calls that the rate limit let through are let through now.", "Callers that kept to the old limit may be refused."},
	{"rateLimit.higher", Additive, false, false, "The rate limit lets more calls through.", "Who kept to the old limit keeps to the new one."},
	{"rateLimit.declared", Breaking, false, true, "A rate limit is declared in place of the server's own, or no longer.", "The server's own limit is no part of the contract, so the two cannot be compared."},
	{"totalRateLimit.lower", Breaking, false, false, "Not all calls that the rate limit of all callers together let through are let through now.", "Callers that were let through beside the others may be refused."},
	{"totalRateLimit.higher", Additive, false, false, "The rate limit of all callers together lets more calls through.", "Who was let through beside the others still is."},
	{"timeout.shorter", Breaking, false, false, "The handler has less time.", "Calls that ended in time may time out."},
	{"timeout.longer", Additive, false, false, "The handler has more time.", "Calls that ended in time still do."},
	{"cancellable.changed", Breaking, false, false, "Whether a write ends with its caller changed.", "A caller that goes away leaves the call in another state than before."},
	{"cancellable.ofRead", Patch, false, false, "Whether a write ends with its caller changed, of a tool that only reads.", "A read always ends with its caller."},
	{"maxConcurrent.lower", Breaking, false, false, "Fewer calls run at once.", "Callers that ran at once may get unavailable."},
	{"maxConcurrent.higher", Additive, false, false, "More calls run at once.", "What ran at once still does."},
	{"maxResultBytes.smaller", Breaking, false, false, "A result may be less large.", "Calls whose result was delivered may get output_invalid."},
	{"maxResultBytes.larger", Breaking, false, false, "A result may be larger.", "Callers made room for the old size."},
	{"maxArgumentBytes.smaller", Breaking, false, false, "Arguments may be less large.", "Calls that were accepted may get invalid_input."},
	{"maxArgumentBytes.larger", Additive, false, false, "Arguments may be larger.", "Calls that were accepted still are."},

	{"default.stated", Patch, false, false, "A clause that was understood is said, or the other way round.", "It meant the same before."},
	{"order.changed", Patch, false, false, "A list has another order.", "The order means nothing."},
	{"member.unknown", Breaking, false, true, "A member that this version does not know changed.", "What it means is not known."},

	{"inputSchema.presence", Breaking, false, true, "The input schema is there on one side only.", "A contract without it does not say what it accepts."},
	{"outputSchema.added", Breaking, false, false, "The result has a schema now.", "It is JSON where it was free text or nothing."},
	{"outputSchema.removed", Breaking, false, false, "The result has no schema any more.", "Callers were promised its form."},
}
