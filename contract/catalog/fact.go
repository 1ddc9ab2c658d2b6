package catalog

import (
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
)

// The names of facts, in the order in which an entry has them.
const (
	FactRisk            = "risk"            // a risk.Level
	FactEffect          = "effect"          // a risk.Effect
	FactContentTrust    = "contentTrust"    // a trust.Level
	FactConfirmation    = "confirmation"    // a contract.Confirmation
	FactDryRun          = "dryRun"          // a dryrun.Mode
	FactIdempotency     = "idempotency"     // an idempotency.Mode
	FactPermissions     = "permissions"     // a list, joined by blanks
	FactVersion         = "version"         // the version of the contract
	FactDeprecatedSince = "deprecatedSince" // the version that deprecated the tool
	FactAliases         = "aliases"         // a list, joined by blanks
)

// A Fact is one property of a tool, with its origin. Values are texts, such as
// "external-publication"; [Entry.Declared] and [Entry.Effective] have them as
// Go values.
type Fact struct {
	// Name is one of the constants, such as [FactRisk].
	Name string `json:"fact"`
	// Declared is what the server declares, or what was guessed. Empty: there
	// is none.
	Declared string `json:"declared"`
	// DeclaredBy is the origin of Declared.
	DeclaredBy Origin `json:"declaredBy,omitzero"`
	// Effective is the value that counts. Empty: there is none.
	Effective string `json:"effective"`
	// Origin is the origin of Effective.
	Origin Origin `json:"origin,omitzero"`
	// Flag marks a downgrade or a veto. Empty: neither.
	Flag Flag `json:"flag"`
}

// A factKind has what one fact needs.
type factKind struct {
	name string
	// text returns the value in a contract, "" for none.
	text func(contract.Document) string
	// copy copies the value.
	copy func(to, from *contract.Document)
	// isWeaker reports whether a change from old to now makes callers less
	// careful. Nil: the fact has no order.
	isWeaker func(now, old contract.Document) bool
}

// factKinds has all facts, in the order of the constants. The documents that
// isWeaker compares have a value for every clause.
var factKinds = []factKind{
	{
		FactRisk,
		func(d contract.Document) string { return enumText(d.Risk) },
		func(to, from *contract.Document) { to.Risk = from.Risk },
		func(now, old contract.Document) bool { return !now.Risk.AtLeast(old.Risk) },
	},
	{
		FactEffect,
		func(d contract.Document) string { return enumText(d.Effect) },
		func(to, from *contract.Document) { to.Effect = from.Effect },
		func(now, old contract.Document) bool { return !now.Effect.AtLeast(old.Effect) },
	},
	{
		FactContentTrust,
		func(d contract.Document) string { return enumText(d.ContentTrust) },
		func(to, from *contract.Document) { to.ContentTrust = from.ContentTrust },
		func(now, old contract.Document) bool { return now.ContentTrust.IsWeakerThan(old.ContentTrust) },
	},
	{
		FactConfirmation,
		func(d contract.Document) string { return enumText(d.Confirmation) },
		func(to, from *contract.Document) { to.Confirmation = from.Confirmation },
		func(now, old contract.Document) bool { return now.Confirmation < old.Confirmation },
	},
	{
		FactDryRun,
		func(d contract.Document) string { return enumText(d.DryRun) },
		func(to, from *contract.Document) { to.DryRun = from.DryRun },
		func(now, old contract.Document) bool { return dryRunOf(now) < dryRunOf(old) },
	},
	{
		FactIdempotency,
		func(d contract.Document) string { return enumText(modeOf(d)) },
		func(to, from *contract.Document) { to.Idempotency = from.Idempotency },
		// A tool that becomes idempotent is repeated with less care.
		func(now, old contract.Document) bool { return isRepeatable(now) && !isRepeatable(old) },
	},
	{
		FactPermissions,
		func(d contract.Document) string { return strings.Join(d.Permissions, " ") },
		func(to, from *contract.Document) { to.Permissions = from.Permissions },
		nil,
	},
	{
		FactVersion,
		func(d contract.Document) string { return d.Version },
		func(to, from *contract.Document) { to.Version = from.Version },
		nil,
	},
	{
		FactDeprecatedSince,
		func(d contract.Document) string {
			if d.Deprecated == nil {
				return ""
			}
			return d.Deprecated.Since
		},
		func(to, from *contract.Document) { to.Deprecated = from.Deprecated },
		nil,
	},
	{
		FactAliases,
		func(d contract.Document) string { return strings.Join(d.Aliases, " ") },
		func(to, from *contract.Document) { to.Aliases = from.Aliases },
		nil,
	},
}

func enumText[T interface {
	IsValid() bool
	String() string
}](v T) string {
	if !v.IsValid() {
		return ""
	}
	return v.String()
}

func modeOf(d contract.Document) idempotency.Mode {
	if d.Idempotency == nil {
		return idempotency.UndeclaredMode
	}
	return d.Idempotency.Mode
}

// isRepeatable reports whether callers may repeat a call without care. In mode
// keyed they need a key, so it does not count. A read is always repeatable,
// which its effect shows already.
func isRepeatable(d contract.Document) bool {
	mode := modeOf(d)
	return mode == idempotency.Native || mode == idempotency.Managed
}

func dryRunOf(d contract.Document) dryrun.Mode { return max(d.DryRun, dryrun.None) }

// kindOf returns the kind of a fact that exists.
func kindOf(name string) factKind {
	return factKinds[slices.IndexFunc(factKinds, func(k factKind) bool { return k.name == name })]
}
