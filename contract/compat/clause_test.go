package compat_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/schema/diff"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type change = func(d *contract.Document)

// managed sets an idempotency clause with every member, after an edit.
func managed(edit func(i *contract.Idempotency)) change {
	return func(d *contract.Document) {
		d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}, Retention: time.Minute,
			OnUnknown: idempotency.Refuse}
		if edit != nil {
			edit(d.Idempotency)
		}
	}
}

// guessed sets an idempotency clause for calls whose arguments are the key.
func guessed(d time.Duration) change {
	return managed(func(i *contract.Idempotency) {
		i.KeyFields = nil
		i.Retention = 90 * time.Second
		i.ArgumentsRetention = d
	})
}

// native sets an idempotency clause for a handler that deduplicates.
func native(d *contract.Document) { d.Idempotency = &contract.Idempotency{Mode: idempotency.Native} }

// keyed sets an idempotency clause for calls with a key of the client.
func keyed(d *contract.Document) {
	d.Idempotency = &contract.Idempotency{Mode: idempotency.Keyed, ClientKey: true, Retention: time.Minute,
		OnUnknown: idempotency.Refuse}
}

// offered lets the client send the key, and required demands it.
func offered(d *contract.Document) {
	d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, Retention: time.Minute,
		ArgumentsRetention: time.Minute, OnUnknown: idempotency.Refuse}
}

func required(d *contract.Document) {
	d.Idempotency = &contract.Idempotency{Mode: idempotency.Managed, ClientKey: true, KeyRequired: true, Retention: time.Minute,
		OnUnknown: idempotency.Refuse}
}

// reconciled sets a clause by which a repeated call finds out.
func reconciled(quiet time.Duration) change {
	return func(d *contract.Document) {
		managed(nil)(d)
		d.Reconcile = &contract.Reconciling{Quiet: quiet}
	}
}

func stepUp(age int64, acr string) change {
	return func(d *contract.Document) {
		d.StepUp = &contract.StepUp{MaxAge: time.Duration(age) * time.Second, ACR: acr}
	}
}

// resolves sets how far the arguments may weaken a call.
func resolves(least contract.Least) change {
	return func(d *contract.Document) { d.Resolves = &least }
}

func always(d *contract.Document) { d.Confirmation, d.Autonomous = contract.ConfirmationAlways, false }

func effects(list ...contract.SideEffect) change {
	return func(d *contract.Document) { d.SideEffects = list }
}

func class(published risk.Reversibility, list ...contract.SideEffect) change {
	return func(d *contract.Document) { d.Reversibility, d.SideEffects = published, list }
}

func containing(kinds ...contract.DataKind) change {
	return func(d *contract.Document) { d.Reads = kinds }
}

func fails(class contract.Class, effectPossible bool) change {
	return func(d *contract.Document) {
		d.FailureModes = append([]contract.FailureMode{{Code: "full", Class: class, Description: "It is full.", By: contract.ByTool,
			EffectPossible: effectPossible}}, d.FailureModes...)
	}
}

// mostSeconds is the longest time in seconds.
const mostSeconds = math.MaxInt64 / int64(time.Second)

func rate(calls int, seconds int64) change {
	return func(d *contract.Document) {
		d.RateLimit = &contract.RateLimit{Calls: calls, Per: time.Duration(seconds) * time.Second}
	}
}

func totalRate(calls int, seconds int64) change {
	return func(d *contract.Document) {
		d.TotalRateLimit = &contract.RateLimit{Calls: calls, Per: time.Duration(seconds) * time.Second}
	}
}

func retryBudget(failures int, seconds int64) change {
	return func(d *contract.Document) {
		d.RetryBudget = &contract.RetryBudget{Failures: failures, Window: time.Duration(seconds) * time.Second}
	}
}

// A protection is the effect of a change on a declared care or protection.
type protection int

const (
	unstated protection = iota // no answer: every case needs one
	kept                       // it is as strong as before, or stronger
	weakened                   // it is weaker in every view, so the change is a downgrade
	claimed                    // it is weaker in the view of claims alone
)

// A clauseCase has two edits of one contract and the change between the
// results. A nil edit leaves the contract as it is.
type clauseCase struct {
	rule       string
	class      compat.Class
	protection protection
	old, now   change
}

func clauseCases() []clauseCase {
	inside := contract.SideEffect{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Reversible}
	outside := contract.SideEffect{Description: "It is kept.", Reach: contract.External, Undo: contract.Reversible}
	final := contract.SideEffect{Description: "It is kept.", Reach: contract.Internal, Undo: contract.Irreversible}
	bare := contract.SideEffect{Description: "It is kept."}
	reads := func(d *contract.Document) { d.Effect = risk.ReadOnly }
	return []clauseCase{
		{rule: "format.changed", class: compat.Breaking, protection: kept, now: func(d *contract.Document) { d.Format = 2 }},
		{rule: "name.changed", class: compat.Additive, protection: kept, now: func(d *contract.Document) {
			d.Name,
				d.Aliases = "notes.put", []string{"notes.write"}
		}},
		{rule: "name.replaced", class: compat.Breaking, protection: kept, now: func(d *contract.Document) { d.Name = "notes.put" }},
		{rule: "title.changed", class: compat.Patch, protection: kept, now: func(d *contract.Document) { d.Title = "Note" }},
		{rule: "description.changed", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.Description = "Other." }},
		{rule: "category.changed", class: compat.Patch, protection: kept, now: func(d *contract.Document) { d.Category = "notes" }},
		{rule: "metadata.changed", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.Metadata = map[string]any{"team": "x"} }},
		{rule: "version.changed", class: compat.Patch, protection: kept, now: func(d *contract.Document) { d.Version = "1.0.1" }},
		{rule: "deprecated.added", class: compat.Additive, protection: kept,
			now: func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} }},
		{rule: "deprecated.removed", class: compat.Additive, protection: kept,
			old: func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} }},
		{rule: "deprecated.changed", class: compat.Patch, protection: kept,
			old: func(d *contract.Document) {
				d.Deprecated = &contract.Deprecation{Since: "1.0.0"}
			}, now: func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0", Note: "x"} }},
		{rule: "alias.added", class: compat.Additive, protection: kept,
			now: func(d *contract.Document) { d.Aliases = []string{"notes.old"} }},
		{rule: "alias.removed", class: compat.Breaking, protection: kept,
			old: func(d *contract.Document) { d.Aliases = []string{"notes.old"} }},

		{rule: "identity.changed", class: compat.Breaking, protection: weakened, old: managed(nil),
			now: func(d *contract.Document) { managed(nil)(d); d.Aliases = []string{"notes.old"} }},

		{rule: "risk.raised", class: compat.Breaking, protection: kept, now: func(d *contract.Document) { d.Risk = risk.High }},
		{rule: "risk.forbidden", class: compat.Breaking, protection: kept, now: func(d *contract.Document) { d.Risk = risk.Forbidden }},
		{rule: "risk.lowered", class: compat.Additive, protection: weakened, now: func(d *contract.Document) { d.Risk = risk.Low }},
		{rule: "effect.graver", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Effect = risk.Destructive }},
		{rule: "effect.milder", class: compat.Additive, protection: weakened, now: reads},
		{rule: "principal.demanded", class: compat.Breaking, protection: kept, old: func(d *contract.Document) { d.Permissions = nil }},
		{rule: "principal.waived", class: compat.Additive, protection: weakened,
			now: func(d *contract.Document) { d.Permissions = nil }},
		{rule: "securityLevel.raised", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.SecurityLevel = 4 }},
		{rule: "securityLevel.adjusted", class: compat.Patch, protection: kept, old: func(d *contract.Document) { d.SecurityLevel = 4 },
			now: func(d *contract.Document) { d.SecurityLevel = 7 }},
		{rule: "securityLevel.lowered", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.SecurityLevel = 7 }, now: func(d *contract.Document) { d.SecurityLevel = 4 }},
		{rule: "reversibility.raised", class: compat.Breaking, protection: kept, old: class(risk.Reversible, inside),
			now: class(risk.ReversibleOutside, inside)},
		{rule: "reversibility.lowered", class: compat.Additive, protection: weakened, old: effects(bare),
			now: class(risk.Reversible, bare)},
		{rule: "contentTrust.stricter", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.ContentTrust = trust.Untrusted }},
		{rule: "contentTrust.weaker", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.ContentTrust = 0 }},
		{rule: "contentTrust.other", class: compat.Breaking, protection: weakened,
			old: func(d *contract.Document) { d.ContentTrust = trust.Sensitive }, now: func(d *contract.Document) {
				d.ContentTrust = trust.Untrusted
			}},
		{rule: "lenient.added", class: compat.Additive, protection: kept,
			now: func(d *contract.Document) { d.Lenient = []contract.Leniency{contract.NullAsAbsent} }},
		{rule: "lenient.removed", class: compat.Breaking, protection: kept,
			old: func(d *contract.Document) { d.Lenient = []contract.Leniency{contract.NullAsAbsent} }},
		{rule: "reads.more", class: compat.Breaking, protection: kept, now: containing(contract.PrivateData)},
		{rule: "reads.more", class: compat.Breaking, protection: kept, old: containing(contract.PublicData)},
		{rule: "reads.less", class: compat.Additive, protection: weakened, old: containing(contract.PrivateData)},
		{rule: "reads.less", class: compat.Additive, protection: weakened, now: containing(contract.PublicData)},
		{rule: "default.stated", class: compat.Patch, protection: kept,
			old: func(d *contract.Document) { d.ContentTrust = trust.Sensitive }, now: func(d *contract.Document) {
				d.ContentTrust, d.Reads = trust.Sensitive, []contract.DataKind{contract.PrivateData}
			}},
		{rule: "sends.added", class: compat.Breaking, protection: kept, old: reads,
			now: func(d *contract.Document) { reads(d); d.Sends = true }},
		{rule: "sends.removed", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { reads(d); d.Sends = true }, now: reads},
		{rule: "delimit.more", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Delimit = trust.DelimitText }},
		{rule: "delimit.fewer", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Delimit = trust.DelimitAll }, now: func(d *contract.Document) {
				d.Delimit = trust.DelimitText
			}},
		{rule: "sanitize.more", class: compat.Breaking, protection: kept,
			old: func(d *contract.Document) { d.Sanitize = trust.SanitizeNever }, now: func(d *contract.Document) {
				d.Sanitize = trust.SanitizeText
			}},
		{rule: "sanitize.less", class: compat.Additive, protection: weakened,
			now: func(d *contract.Document) { d.Sanitize = trust.SanitizeText }},

		{rule: "confirmation.raised", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Confirmation = contract.ConfirmationWhen }},
		{rule: "confirmation.lowered", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Confirmation = contract.ConfirmationAlways }},
		{rule: "confirmation.lowered", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Confirmation = contract.ConfirmationWhen },
			now: func(d *contract.Document) { d.Confirmation = contract.ConfirmationUpstream }},
		{rule: "confirmation.lowered", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Confirmation = contract.ConfirmationUpstream }},
		{rule: "confirmationReason.changed", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.ConfirmationReason = "It is undone." }},
		{rule: "autonomous.granted", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Autonomous = false }},
		{rule: "autonomous.revoked", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Autonomous = false }},
		{rule: "autonomous.granted", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Autonomous = false },
			now: func(d *contract.Document) { d.Confirmation = contract.ConfirmationAlways }},
		{rule: "autonomous.granted", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Confirmation, d.Autonomous = contract.ConfirmationAlways, false },
			now: func(d *contract.Document) { d.Confirmation = contract.ConfirmationWhen }},
		{rule: "resolves.lower", class: compat.Additive, protection: weakened, now: resolves(contract.Least{Effect: risk.ReadOnly})},
		{rule: "resolves.lower", class: compat.Additive, protection: weakened, now: resolves(contract.Least{Risk: risk.Low})},
		{rule: "resolves.lower", class: compat.Additive, protection: weakened, old: resolves(contract.Least{Risk: risk.High}),
			now: resolves(contract.Least{Risk: risk.Low})},
		{rule: "resolves.lower", class: compat.Additive, protection: weakened, old: always,
			now: func(d *contract.Document) {
				always(d)
				resolves(contract.Least{Confirmation: contract.ConfirmationNever})(d)
			}},
		{rule: "resolves.lower", class: compat.Additive, protection: weakened,
			now: resolves(contract.Least{Permissions: []string{}})},
		{rule: "resolves.higher", class: compat.Breaking, protection: kept, old: resolves(contract.Least{Effect: risk.ReadOnly})},
		{rule: "resolves.higher", class: compat.Breaking, protection: kept, old: resolves(contract.Least{Risk: risk.Low}),
			now: resolves(contract.Least{Effect: risk.ReadOnly})},
		{rule: "resolves.higher", class: compat.Breaking, protection: kept,
			old: resolves(contract.Least{Permissions: []string{}})},
		{rule: "default.stated", class: compat.Patch, protection: kept, now: resolves(contract.Least{})},
		{rule: "default.stated", class: compat.Patch, protection: kept, now: resolves(contract.Least{Risk: risk.Medium})},
		{rule: "stepUp.added", class: compat.Breaking, protection: kept, now: stepUp(60, "")},
		{rule: "stepUp.removed", class: compat.Additive, protection: weakened, old: stepUp(60, "")},
		{rule: "stepUp.stricter", class: compat.Breaking, protection: kept, old: stepUp(60, ""), now: stepUp(30, "")},
		{rule: "stepUp.stricter", class: compat.Breaking, protection: kept, old: stepUp(60, ""), now: stepUp(60, "silver")},
		{rule: "stepUp.stricter", class: compat.Breaking, protection: kept, old: stepUp(0, "silver"), now: stepUp(60, "silver")},
		{rule: "stepUp.looser", class: compat.Additive, protection: weakened, old: stepUp(60, "gold"), now: stepUp(0, "gold")},
		{rule: "stepUp.looser", class: compat.Additive, protection: weakened, old: stepUp(60, "gold"), now: stepUp(60, "")},
		{rule: "stepUp.acr", class: compat.Breaking, protection: weakened, old: stepUp(60, "gold"), now: stepUp(60, "silver")},
		{rule: "stepUp.when", class: compat.Patch, protection: kept, old: stepUp(60, ""),
			now: func(d *contract.Document) { d.StepUp = &contract.StepUp{When: "At night.", MaxAge: time.Minute} }},

		{rule: "permission.added", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Permissions = []string{"notes:write", "x"} }},
		{rule: "permission.removed", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Permissions = []string{"notes:write", "x"} }},
		{rule: "noPermissions.changed", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.NoPermissions = "None." }},
		{rule: "discoverWith.narrowed", class: compat.Breaking, protection: kept, old: func(d *contract.Document) {
			d.Permissions,
				d.DiscoverWith = []string{"a", "b"}, []string{"a"}
		}, now: func(d *contract.Document) { d.Permissions = []string{"a", "b"} }},
		{rule: "discoverWith.widened", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Permissions = []string{"a", "b"} }, now: func(d *contract.Document) {
				d.Permissions,
					d.DiscoverWith = []string{"a", "b"}, []string{"a"}
			}},

		{rule: "sideEffect.added", class: compat.Breaking, protection: kept, old: effects(inside), now: effects(inside,
			contract.SideEffect{Description: "More."})},
		{rule: "sideEffect.removed", class: compat.Additive, protection: weakened, old: effects(inside, final), now: effects(final)},
		{rule: "sideEffects.declared", class: compat.Patch, protection: kept,
			now: effects(contract.SideEffect{Description: "It is sent."})},
		{rule: "sideEffects.undeclared", class: compat.Breaking, protection: kept, old: effects(inside)},
		{rule: "sideEffect.reachGraver", class: compat.Breaking, protection: kept, old: effects(inside), now: effects(outside)},
		{rule: "sideEffect.reachMilder", class: compat.Additive, protection: weakened, old: effects(outside), now: effects(inside)},
		{rule: "sideEffect.reachMilder", class: compat.Additive, protection: weakened, now: effects(final)},
		{rule: "sideEffect.undoGraver", class: compat.Breaking, protection: kept, old: effects(inside), now: effects(final)},
		{rule: "sideEffect.undoMilder", class: compat.Additive, protection: weakened, old: effects(final), now: effects(inside)},
		{rule: "sideEffect.undoMilder", class: compat.Additive, protection: weakened, now: effects(outside)},
		{rule: "sideEffect.text", class: compat.Patch, protection: kept, old: effects(inside), now: func(d *contract.Document) {
			e := inside
			e.OnRepeat = "Again."
			d.SideEffects = []contract.SideEffect{e}
		}},

		{rule: "idempotency.added", class: compat.Additive, protection: claimed,
			now: native},
		{rule: "idempotency.added", class: compat.Additive, protection: claimed, now: managed(nil)},
		{rule: "idempotency.removed", class: compat.Breaking, protection: weakened, old: native},
		{rule: "idempotency.removed", class: compat.Breaking, protection: weakened, old: managed(nil)},
		{rule: "idempotency.managed", class: compat.Breaking, protection: kept,
			old: native, now: managed(nil)},
		{rule: "idempotency.native", class: compat.Breaking, protection: weakened, old: managed(nil),
			now: native},
		{rule: "idempotency.keyOffered", class: compat.Additive, protection: kept, now: keyed},
		{rule: "idempotency.keyNeeded", class: compat.Breaking, protection: weakened, old: managed(nil), now: keyed},
		{rule: "idempotency.keyNeeded", class: compat.Breaking, protection: weakened,
			old: native, now: keyed},
		{rule: "idempotency.keyOptional", class: compat.Breaking, protection: claimed, old: keyed, now: managed(nil)},
		{rule: "idempotency.native", class: compat.Breaking, protection: weakened, old: keyed,
			now: native},
		{rule: "idempotency.removed", class: compat.Breaking, protection: weakened, old: keyed},
		{rule: "idempotency.retentionShorter", class: compat.Breaking, protection: weakened, old: keyed,
			now: managed(func(i *contract.Idempotency) { i.Retention = 30 * time.Second })},
		{rule: "idempotency.retentionLonger", class: compat.Breaking, protection: kept, old: keyed,
			now: func(d *contract.Document) { keyed(d); d.Idempotency.Retention = 90 * time.Second }},
		{rule: "idempotency.key", class: compat.Breaking, protection: weakened, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.KeyFields = []string{"copy"} })},
		{rule: "idempotency.key", class: compat.Breaking, protection: weakened, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.ClientKey = true })},
		{rule: "idempotency.retentionShorter", class: compat.Breaking, protection: weakened, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.Retention = 30 * time.Second })},
		{rule: "idempotency.retentionLonger", class: compat.Breaking, protection: kept, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.Retention = 90 * time.Second })},
		{rule: "idempotency.retentionShorter", class: compat.Breaking, protection: weakened, old: guessed(time.Minute),
			now: guessed(30 * time.Second)},
		{rule: "idempotency.retentionLonger", class: compat.Breaking, protection: kept, old: guessed(30 * time.Second),
			now: guessed(time.Minute)},
		{rule: "idempotency.retentionShorter", class: compat.Breaking, protection: weakened, old: guessed(0), // of an older version
			now: guessed(time.Minute)},
		{rule: "idempotency.refuses", class: compat.Breaking, protection: kept,
			old: managed(func(i *contract.Idempotency) { i.OnUnknown = idempotency.Rerun }), now: managed(nil)},
		{rule: "idempotency.reruns", class: compat.Additive, protection: weakened, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.OnUnknown = idempotency.Rerun })},
		{rule: "idempotency.atomic", class: compat.Additive, protection: kept, old: managed(nil),
			now: managed(func(i *contract.Idempotency) { i.Atomic = true })},
		{rule: "idempotency.notAtomic", class: compat.Breaking, protection: weakened,
			old: managed(func(i *contract.Idempotency) { i.Atomic = true }), now: managed(nil)},
		{rule: "idempotency.keyRequired", class: compat.Breaking, protection: kept, old: offered, now: required},
		{rule: "idempotency.keyRequired", class: compat.Breaking, protection: kept, now: required},
		{rule: "idempotency.keyRequired", class: compat.Breaking, protection: kept, old: native, now: required},
		{rule: "idempotency.keyRequired", class: compat.Breaking, protection: kept, old: managed(nil), now: required},
		{rule: "idempotency.keyRequired", class: compat.Breaking, protection: kept, old: keyed,
			now: func(d *contract.Document) { keyed(d); d.Idempotency.KeyRequired = true }},
		{rule: "idempotency.keyNotRequired", class: compat.Additive, protection: weakened, old: required, now: offered},
		{rule: "idempotency.keyNotRequired", class: compat.Additive, protection: weakened, old: required, now: managed(nil)},
		{rule: "idempotency.keyNotRequired", class: compat.Additive, protection: weakened, old: required, now: keyed},
		{rule: "reconcile.added", class: compat.Additive, protection: kept, old: managed(nil), now: reconciled(0)},
		{rule: "reconcile.removed", class: compat.Breaking, protection: weakened, old: reconciled(0), now: managed(nil)},
		{rule: "reconcile.quietShorter", class: compat.Additive, protection: weakened, old: reconciled(time.Minute),
			now: reconciled(time.Second)},
		{rule: "reconcile.quietShorter", class: compat.Additive, protection: weakened, old: reconciled(0),
			now: reconciled(time.Minute)},
		{rule: "reconcile.quietLonger", class: compat.Breaking, protection: kept, old: reconciled(time.Second),
			now: reconciled(time.Minute)},
		{rule: "reconcile.quietLonger", class: compat.Breaking, protection: kept, old: reconciled(time.Minute), now: reconciled(0)},

		{rule: "dryRun.added", class: compat.Additive, protection: kept,
			now: func(d *contract.Document) { d.DryRun = dryrun.Supported }},
		{rule: "dryRun.required", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.DryRun = dryrun.Required }},
		{rule: "dryRun.relaxed", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.DryRun = dryrun.Required }, now: func(d *contract.Document) {
				d.DryRun = dryrun.Supported
			}},
		{rule: "dryRun.removed", class: compat.Breaking, protection: weakened,
			old: func(d *contract.Document) { d.DryRun = dryrun.Supported }},
		{rule: "auditEvent.changed", class: compat.Patch, protection: weakened,
			now: func(d *contract.Document) { d.AuditEvent = "note.kept" }},

		{rule: "failure.added", class: compat.Additive, protection: kept, now: fails(contract.ClassFatal, false)},
		{rule: "failure.removed", class: compat.Patch, protection: kept, old: fails(contract.ClassFatal, false)},
		{rule: "failure.nowFatal", class: compat.Breaking, protection: kept, old: fails(contract.ClassRetryable, false),
			now: fails(contract.ClassFatal, false)},
		{rule: "failure.nowRetryable", class: compat.Additive, protection: kept, old: fails(contract.ClassFatal, false),
			now: fails(contract.ClassRetryable, false)},
		{rule: "failure.effectPossible", class: compat.Breaking, protection: kept, old: fails(contract.ClassFatal, false),
			now: fails(contract.ClassFatal, true)},
		{rule: "failure.effectImpossible", class: compat.Additive, protection: weakened, old: fails(contract.ClassFatal, true),
			now: fails(contract.ClassFatal, false)},
		{rule: "failure.by", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.FailureModes[0].By = contract.ByTool }},
		{rule: "failure.text", class: compat.Patch, protection: kept, old: fails(contract.ClassFatal, false),
			now: func(d *contract.Document) {
				fails(contract.ClassFatal, false)(d)
				d.FailureModes[0].Description = "Full."
			}},
		{rule: "failures.guard", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.FailureModes = d.FailureModes[1:] }},
		{rule: "failures.guard", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.FailureModes[0].Description = "Other words." }},
		{rule: "failures.guard", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.FailureModes[0].EffectPossible = true }},

		{rule: "rateLimit.lower", class: compat.Breaking, protection: kept, old: rate(10, 60), now: rate(9, 60)},
		{rule: "rateLimit.lower", class: compat.Breaking, protection: kept, old: rate(10, 60), now: rate(19, 120)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(10, 60), now: rate(20, 120)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(10, 60), now: rate(10, 30)},
		{rule: "rateLimit.lower", class: compat.Breaking, protection: kept, old: rate(10, 60), now: rate(9, 1)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(10, 60), now: rate(9, 1)},
		{rule: "rateLimit.lower", class: compat.Breaking, protection: kept, old: rate(10, 60), now: rate(1000, 6001)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(10, 60), now: rate(1000, 6000)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(10, 60), now: rate(16, 90)},
		{rule: "rateLimit.higher", class: compat.Additive, protection: weakened, old: rate(math.MaxInt-1, mostSeconds),
			now: rate(math.MaxInt, mostSeconds)},
		{rule: "rateLimit.lower", class: compat.Breaking, protection: kept, old: rate(math.MaxInt, mostSeconds-1),
			now: rate(math.MaxInt, mostSeconds)},
		{rule: "rateLimit.declared", class: compat.Breaking, protection: kept, now: rate(1000, 1)},
		{rule: "rateLimit.undeclared", class: compat.Breaking, protection: weakened, old: rate(1000, 1)},
		{rule: "totalRateLimit.lower", class: compat.Breaking, protection: kept, now: totalRate(1000, 1)},
		{rule: "totalRateLimit.lower", class: compat.Breaking, protection: kept, old: totalRate(100, 60), now: totalRate(100, 61)},
		{rule: "totalRateLimit.lower", class: compat.Breaking, protection: kept, old: totalRate(100, 60), now: totalRate(99, 1)},
		{rule: "totalRateLimit.higher", class: compat.Additive, protection: weakened, old: totalRate(100, 60), now: totalRate(101, 60)},
		{rule: "totalRateLimit.higher", class: compat.Additive, protection: weakened, old: totalRate(1000, 1)},
		{rule: "retryBudget.lower", class: compat.Breaking, protection: kept, old: retryBudget(5, 60), now: retryBudget(4, 60)},
		{rule: "retryBudget.lower", class: compat.Breaking, protection: kept, old: retryBudget(5, 60), now: retryBudget(5, 61)},
		{rule: "retryBudget.lower", class: compat.Breaking, protection: kept, old: retryBudget(5, 60), now: retryBudget(4, 30)},
		{rule: "retryBudget.higher", class: compat.Additive, protection: weakened, old: retryBudget(5, 60), now: retryBudget(4, 30)},
		{rule: "retryBudget.lower", class: compat.Breaking, protection: kept, old: retryBudget(5, 60), now: retryBudget(6, 61)},
		{rule: "retryBudget.higher", class: compat.Additive, protection: weakened, old: retryBudget(5, 60), now: retryBudget(6, 60)},
		{rule: "retryBudget.higher", class: compat.Additive, protection: weakened, old: retryBudget(5, 60), now: retryBudget(5, 59)},
		{rule: "retryBudget.declared", class: compat.Breaking, protection: kept, now: retryBudget(1000, 1)},
		{rule: "retryBudget.undeclared", class: compat.Breaking, protection: weakened, old: retryBudget(1000, 1)},
		{rule: "timeout.shorter", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Timeout = 10 * time.Millisecond }},
		{rule: "timeout.longer", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.Timeout = 10 * time.Millisecond }, now: func(d *contract.Document) {
				d.Timeout = 20 * time.Millisecond
			}},
		{rule: "typedConfirmation.added", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.TypedConfirmation = true }},
		{rule: "typedConfirmation.removed", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.TypedConfirmation = true }},
		{rule: "objectAuthorization.added", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.ObjectAuthorization = true }},
		{rule: "objectAuthorization.removed", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.ObjectAuthorization = true }},
		{rule: "cancellable.changed", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Cancellable = true }},
		{rule: "cancellable.ofRead", class: compat.Patch, protection: kept, old: reads, now: func(d *contract.Document) {
			d.Effect,
				d.Cancellable = risk.ReadOnly, true
		}},
		{rule: "maxConcurrent.lower", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.MaxConcurrent = 2 }},
		{rule: "maxConcurrent.higher", class: compat.Additive, protection: weakened,
			old: func(d *contract.Document) { d.MaxConcurrent = 2 }},
		{rule: "maxResultBytes.smaller", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.MaxResultBytes = 10 }},
		{rule: "maxResultBytes.larger", class: compat.Breaking, protection: weakened,
			now: func(d *contract.Document) { d.MaxResultBytes = 1<<20 + 1 }},
		{rule: "maxArgumentBytes.smaller", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.MaxArgumentBytes = 10 }},
		{rule: "maxArgumentBytes.larger", class: compat.Additive, protection: weakened,
			now: func(d *contract.Document) { d.MaxArgumentBytes = 4<<20 + 1 }},

		{rule: "default.stated", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.Risk = 0 }},
		{rule: "default.stated", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.MaxResultBytes = 1 << 20 }},
		{rule: "default.stated", class: compat.Patch, protection: kept, now: func(d *contract.Document) { d.DryRun = dryrun.None }},
		{rule: "default.stated", class: compat.Patch, protection: kept,
			now: func(d *contract.Document) { d.DiscoverWith = d.Permissions }},
		{rule: "order.changed", class: compat.Patch, protection: kept, old: func(d *contract.Document) {
			d.Permissions = []string{"a",
				"b"}
		}, now: func(d *contract.Document) { d.Permissions = []string{"b", "a"} }},
		{rule: "order.changed", class: compat.Patch, protection: kept, old: effects(inside, final), now: effects(final, inside)},
		{rule: "member.unknown", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.Unknown = map[string]json.RawMessage{"later": json.RawMessage("1")} }},

		{rule: "inputSchema.presence", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.InputSchema = nil }},
		{rule: "outputSchema.added", class: compat.Breaking, protection: kept,
			old: func(d *contract.Document) { d.OutputSchema = nil }},
		{rule: "outputSchema.removed", class: compat.Breaking, protection: kept,
			now: func(d *contract.Document) { d.OutputSchema = nil }},
		{rule: "input.default", class: compat.Breaking, protection: kept,
			old: schemas(`{"type":"object","properties":{"a":{"default":1}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"default":2}}}`)},
		{rule: "input.text", class: compat.Patch, protection: kept, old: schemas(`{"type":"object","title":"a"}`),
			now: schemas(`{"type":"object","title":"b"}`)},
		{rule: "output.text", class: compat.Patch, protection: kept, old: schemas(`{"type":"object","title":"a"}`),
			now: schemas(`{"type":"object","title":"b"}`)},
		{rule: "field.protected", class: compat.Patch, protection: kept, old: schemas(`{"type":"object","properties":{"a":{}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"x-review":true}}}`)},
		{rule: "field.protected", class: compat.Patch, protection: kept,
			old: schemas(`{"type":"object","properties":{"a":{"x-sensitive":true}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"x-secret":true}}}`)},
		{rule: "field.exposed", class: compat.Additive, protection: weakened,
			old: schemas(`{"type":"object","properties":{"a":{"x-secret":true}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"x-sensitive":true}}}`)},
		{rule: "field.exposed", class: compat.Additive, protection: weakened,
			old: schemas(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"x-sensitive":true}}}`),
			now: schemas(`{"type":"object","properties":{"a":{}}}`)},
		{rule: "field.exposed", class: compat.Additive, protection: weakened,
			old: schemas(`{"type":"object","properties":{"a":{"x-review":true}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"x-review":false}}}`)},
		{rule: "input.unknown", class: compat.Breaking, protection: kept,
			old: schemas(`{"type":"object","properties":{"a":{"pattern":"a"}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"pattern":"b"}}}`)},
		{rule: "output.unknown", class: compat.Breaking, protection: kept,
			old: schemas(`{"type":"object","properties":{"a":{"pattern":"a"}}}`),
			now: schemas(`{"type":"object","properties":{"a":{"pattern":"b"}}}`)},
	}
}

func schemas(text string) change {
	return func(d *contract.Document) {
		d.InputSchema, d.OutputSchema = json.RawMessage(text), json.RawMessage(text)
	}
}

// schemaCases has, for each kind, a schema of a member and a narrower schema.
var schemaCases = map[string][2]string{
	"type":     {`{"type":["string","null"]}`, `{"type":"string"}`},
	"values":   {`{"enum":["a","b"]}`, `{"enum":["b"]}`},
	"range":    {`{"minimum":0}`, `{"exclusiveMinimum":0}`},
	"length":   {`{"maxLength":5}`, `{"maxLength":4}`},
	"pattern":  {`{}`, `{"pattern":"a"}`},
	"format":   {`{"format":"int32"}`, `{"format":"int16"}`},
	"required": {`{"required":["a"]}`, `{"required":["b","a"]}`},
	"property": {`{"properties":{"a":{},"b":{}},"additionalProperties":false}`,
		`{"properties":{"a":{}},"additionalProperties":false}`},
	"additional": {`{}`, `{"additionalProperties":false}`},
	"items":      {`{}`, `{"uniqueItems":true}`},
	"alternatives": {`{"anyOf":[{"type":"string"},{"type":"null"},{"type":"integer"}]}`,
		`{"anyOf":[{"type":"null"},{"type":"string"}]}`},
	"condition": {`{}`, `{"not":{"type":"null"}}`},
}

// expect checks the change of a case against the case and against the table of
// rules.
func (c clauseCase) expect(t *testing.T, changes []compat.Change) compat.Change {
	t.Helper()
	change := find(t, changes, c.rule)
	require.NotEqual(t, unstated, c.protection, "the case of %s does not state whether it is a downgrade", c.rule)
	assert.Equal(t, c.class, change.Class)
	assert.Equal(t, c.protection == weakened, change.Downgrade)
	return change
}

func TestRules_HaveACaseThatStatesClassAndDowngrade(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	run := func(name string, c clauseCase, changes []compat.Change) {
		seen[c.rule] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.expect(t, changes)
		})
	}
	for i, c := range clauseCases() {
		old, now := document(t, c.old), document(t, c.now)
		run(fmt.Sprintf("%d_%s", i, c.rule), c, compat.DiffDocuments(old, now))
		assert.Empty(t, compat.DiffDocuments(now, now))
	}
	for _, c := range toolCases(t) {
		run(c.rule, c.clauseCase, compat.Diff(c.from, c.to))
	}
	for kind, pair := range schemaCases {
		wide := document(t, schemas(`{"type":"object","properties":{"m":`+pair[0]+`}}`))
		narrow := document(t, schemas(`{"type":"object","properties":{"m":`+pair[1]+`}}`))
		narrowed, widened := compat.DiffDocuments(wide, narrow), compat.DiffDocuments(narrow, wide)
		for rule, c := range map[string]struct {
			class   compat.Class
			changes []compat.Change
		}{
			"input." + kind + ".narrowed":  {compat.Breaking, narrowed},
			"input." + kind + ".widened":   {compat.Additive, widened},
			"output." + kind + ".narrowed": {compat.Additive, narrowed},
			"output." + kind + ".widened":  {compat.Breaking, widened},
		} {
			run(rule, clauseCase{rule: rule, class: c.class, protection: kept}, c.changes)
			side, _, _ := strings.Cut(rule, ".")
			assert.True(t, strings.HasPrefix(find(t, c.changes, rule).Pointer, "/"+side+"Schema/properties/m"))
		}
	}
	for _, r := range compat.Kinds() {
		assert.True(t, seen[r.ID], "the rule %s has no case", r.ID)
		assert.NotEmpty(t, r.Summary)
		assert.NotEmpty(t, r.Reason)
		assert.Contains(t, []compat.Class{compat.Patch, compat.Additive, compat.Breaking}, r.Class)
		assert.False(t, r.Unknown && r.Class != compat.Breaking, "unknown changes count as breaking")
	}
	assert.Len(t, rulesByID(), len(compat.Kinds()), "an ID stands once")
}

func TestKinds_FileIsWhole(t *testing.T) {
	t.Parallel()
	file, err := os.Open("kinds.json")
	require.NoError(t, err)
	defer file.Close()
	var kinds []compat.Kind
	d := json.NewDecoder(file)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&kinds))
	assert.Len(t, kinds, len(compat.Kinds()))
	known := rulesByID()
	for _, kind := range diff.Kinds() {
		for _, effect := range []diff.Effect{diff.Narrowed, diff.Widened} {
			assert.Contains(t, known, fmt.Sprintf("input.%s.%s", kind, effect))
			assert.Contains(t, known, fmt.Sprintf("output.%s.%s", kind, effect))
		}
	}
}

// A new member of a document needs a clause that compares it.
func TestDiff_ComparesEveryMemberOfADocument(t *testing.T) {
	t.Parallel()
	compared := map[string]bool{}
	for _, c := range clauseCases() {
		member, _, _ := strings.Cut(strings.TrimPrefix(find(t, compat.DiffDocuments(document(t, c.old), document(t, c.now)),
			c.rule).Pointer, "/"), "/")
		compared[member] = true
	}
	for field := range reflect.TypeFor[contract.Document]().Fields() {
		if member, _, _ := strings.Cut(field.Tag.Get("json"), ","); member != "-" {
			assert.True(t, compared[member], "no case changes %s", member)
		}
	}
}

// A toolCase is the change between two snapshots.
type toolCase struct {
	clauseCase

	from, to compat.Snapshot
}

func toolCases(t *testing.T) []toolCase {
	t.Helper()
	d := document(t, nil)
	retired := document(t, func(d *contract.Document) { d.Deprecated = &contract.Deprecation{Since: "1.0.0"} })
	return []toolCase{
		{clauseCase{rule: "tool.added", class: compat.Additive, protection: kept}, snapshot(), snapshot(d)},
		{clauseCase{rule: "tool.removed", class: compat.Breaking, protection: kept}, snapshot(d), snapshot()},
		{clauseCase{rule: "names.changed", class: compat.Breaking, protection: kept}, withNames(contract.Dotted, d), snapshot(d)},
		{clauseCase{rule: "capabilities.recorded", class: compat.Patch, protection: kept}, snapshot(d), reaching(d)},
		{clauseCase{rule: "capabilities.dropped", class: compat.Patch, protection: weakened}, reaching(d), snapshot(d)},
		{clauseCase{rule: "capability.gained", class: compat.Patch, protection: weakened}, reaching(d), reaching(d, "EXEC")},
		{clauseCase{rule: "capability.lost", class: compat.Patch, protection: kept}, reaching(d, "EXEC"), reaching(d)},
		{clauseCase{rule: "tool.retired", class: compat.Breaking, protection: kept}, snapshot(retired), snapshot()},
	}
}
