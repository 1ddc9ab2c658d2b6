package catalog

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
