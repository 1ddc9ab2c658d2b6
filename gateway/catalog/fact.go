package catalog

import (
	"encoding"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// The names of facts, in the order of [Entry.Facts].
const (
	factRisk            = "risk"            // a risk.Level
	factEffect          = "effect"          // a risk.Effect
	factReversibility   = "reversibility"   // a risk.Reversibility
	factContentTrust    = "contentTrust"    // a trust.Level
	factConfirmation    = "confirmation"    // a contract.Confirmation
	factDryRun          = "dryRun"          // a dryrun.Mode
	factIdempotency     = "idempotency"     // an idempotency.Mode
	factPermissions     = "permissions"     // a list, joined by blanks
	factVersion         = "version"         // the version of the contract
	factDeprecatedSince = "deprecatedSince" // the version that deprecated the tool
	factAliases         = "aliases"         // a list, joined by blanks
)

// The origins of a [Fact].
const (
	fromContract    = "contract"
	fromAnnotations = "annotations"
	fromHints       = "hints"
	fromGuess       = "guess"
	fromMemory      = "memory"
	fromAdvice      = "advice"
	fromOperator    = "operator"
)

// A Flag marks a fact or a change that an operator must know about. Empty: no
// mark.
type Flag string

const (
	// Downgrade marks a fact that is weaker than in an earlier cycle and has no
	// recorded override by the operator.
	Downgrade Flag = "downgrade"
	// Veto marks a tool that the operator has forbidden.
	Veto Flag = "veto"
)

// A Fact is one property of a tool, with its origin. Values are texts, such as
// "external-publication"; [Entry.Declared] and [Entry.Effective] have them as
// Go values.
type Fact struct {
	// Name is the name of the clause in a contract: risk, effect,
	// reversibility, contentTrust, confirmation, dryRun, idempotency,
	// permissions, version, deprecatedSince or aliases.
	Name string `json:"fact"`
	// Declared is the value that the server declares, or a guess. Empty: there
	// is none.
	Declared string `json:"declared"`
	// DeclaredBy is the origin of Declared.
	DeclaredBy string `json:"declaredBy,omitempty"`
	// Effective is the value that counts. Empty: there is none.
	Effective string `json:"effective"`
	// Origin is the origin of Effective. Empty: nothing declares the fact.
	//   - contract: the server lists it in _meta, under
	//     [contract.MetaKeyContract].
	//   - annotations: the server lists the keys of gateways in the annotations
	//     of the tool: risk_level, content_trust_risk, version,
	//     deprecated_since and aliases.
	//   - hints: it follows from the hints that MCP defines, such as
	//     readOnlyHint.
	//   - guess: the server declares nothing, so it is the strictest value.
	//   - memory: it comes from an earlier cycle, because the server now
	//     declares a weaker value.
	//   - advice: it comes from [Options.Advice], which is stricter.
	//   - operator: it comes from [Options.Overrides].
	Origin string `json:"origin,omitempty"`
	// Flag marks a downgrade or a veto. Empty: neither.
	Flag Flag `json:"flag"`
}

// A factKind describes how to handle one fact.
type factKind struct {
	name string
	// text returns the value in a contract, or "" if it has none.
	text func(contract.Document) string
	// copy copies the value.
	copy func(to, from *contract.Document)
	// remembered facts are compared with those of the previous cycle, and a
	// weaker one is a downgrade.
	remembered bool
}

// factKinds has all facts, in the order of the constants.
var factKinds = []factKind{
	{
		factRisk,
		func(d contract.Document) string { return enumText(d.Risk) },
		func(to, from *contract.Document) { to.Risk = from.Risk },
		true,
	},
	{
		factEffect,
		func(d contract.Document) string { return enumText(d.Effect) },
		func(to, from *contract.Document) { to.Effect = from.Effect },
		true,
	},
	{
		factReversibility,
		func(d contract.Document) string { return enumText(d.Reversibility) },
		func(to, from *contract.Document) { to.Reversibility = from.Reversibility },
		true,
	},
	{
		factContentTrust,
		func(d contract.Document) string { return enumText(d.ContentTrust) },
		func(to, from *contract.Document) { to.ContentTrust = from.ContentTrust },
		true,
	},
	{
		factConfirmation,
		func(d contract.Document) string { return enumText(d.Confirmation) },
		func(to, from *contract.Document) { to.Confirmation = from.Confirmation },
		true,
	},
	{
		factDryRun,
		func(d contract.Document) string { return enumText(d.DryRun) },
		func(to, from *contract.Document) { to.DryRun = from.DryRun },
		true,
	},
	{
		factIdempotency,
		func(d contract.Document) string { return enumText(modeOf(d)) },
		func(to, from *contract.Document) { to.Idempotency = from.Idempotency },
		true,
	},
	{
		factPermissions,
		func(d contract.Document) string { return strings.Join(d.Permissions, " ") },
		func(to, from *contract.Document) { to.Permissions = from.Permissions },
		false,
	},
	{
		factVersion,
		func(d contract.Document) string { return d.Version },
		func(to, from *contract.Document) { to.Version = from.Version },
		false,
	},
	{
		factDeprecatedSince,
		func(d contract.Document) string {
			if d.Deprecated == nil {
				return ""
			}
			return d.Deprecated.Since
		},
		func(to, from *contract.Document) { to.Deprecated = from.Deprecated },
		false,
	},
	{
		factAliases,
		func(d contract.Document) string { return strings.Join(d.Aliases, " ") },
		func(to, from *contract.Document) { to.Aliases = from.Aliases },
		false,
	},
}

// enumText returns the text of a value, or "" if it has none.
func enumText(v encoding.TextMarshaler) string {
	text, _ := v.MarshalText()
	return string(text)
}

func modeOf(d contract.Document) idempotency.Mode {
	if d.Idempotency == nil {
		return 0
	}
	return d.Idempotency.Mode
}

// isRepeatable reports whether callers may repeat a call without care. Mode
// keyed does not count, because callers need a key. A read is always
// repeatable, but its effect shows that already.
func isRepeatable(d contract.Document) bool {
	mode := modeOf(d)
	return mode == idempotency.Native || mode == idempotency.Managed
}

// weakerFacts returns the facts that are weaker now than in old. Both documents
// have a value for every fact. Of the idempotency only the modes are compared,
// because only they are remembered. They are not compared if the tool only
// reads now: a read can be repeated anyway.
func weakerFacts(old, now contract.Document) map[string]bool {
	if now.Effect == risk.ReadOnly {
		now.Idempotency = old.Idempotency
	}
	for _, d := range []*contract.Document{&old, &now} {
		if d.Idempotency != nil {
			d.Idempotency = &contract.Idempotency{Mode: d.Idempotency.Mode}
		}
	}
	weaker := map[string]bool{}
	for _, w := range compat.Weaker(compat.Claims, old, now) {
		weaker[w.Clause] = true
	}
	return weaker
}

// kindOf returns the kind of a fact by its name, which must exist.
func kindOf(name string) factKind {
	return factKinds[slices.IndexFunc(factKinds, func(k factKind) bool { return k.name == name })]
}
