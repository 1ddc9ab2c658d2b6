package keys

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Keys are the annotations of one tool. Their JSON names are those of the
// Python package mcp-tool-contract.
type Keys struct {
	// ReadOnlyHint is true if the effect is read-only.
	ReadOnlyHint bool `json:"readOnlyHint"`
	// DestructiveHint is true only if the effect is destructive. An
	// irreversible side effect does not count.
	DestructiveHint bool `json:"destructiveHint"`
	// IdempotentHint is that of [contract.Document.Hints], but false for a
	// read-only tool that declares no idempotency.
	IdempotentHint bool `json:"idempotentHint"`
	// RiskLevel is the effect of the contract, which uses the same words as
	// that package.
	RiskLevel risk.Effect `json:"risk_level"`
	// ContentTrustRisk is the trust in the results.
	ContentTrustRisk trust.Level `json:"content_trust_risk"`
	// Version is the version of the contract.
	Version string `json:"version"`
	// DeprecatedSince is the version that deprecated the tool. Empty: it is not
	// deprecated, and the key is omitted.
	DeprecatedSince string `json:"deprecated_since,omitempty"`
	// Aliases are the old names of the tool. The key is omitted if there are
	// none.
	Aliases []string `json:"aliases,omitempty"`
}

// A Lookup returns the keys of a tool by its name in tools/list. It reports
// false for a tool without a contract. It must be safe for concurrent use.
type Lookup func(tool string) (Keys, bool)

// For returns a lookup for tools that are listed in a naming. The aliases in
// the keys use it too. The lookup reports false for an alias. Nil tools are
// ignored.
func For(naming contract.Naming, tools ...*contract.Tool) Lookup {
	all := make(map[string]Keys, len(tools))
	for _, tool := range tools {
		if tool == nil {
			continue
		}
		keys := Of(tool.Document())
		for i, alias := range keys.Aliases {
			keys.Aliases[i] = naming.Listed(alias)
		}
		all[naming.Listed(tool.Name())] = keys
	}
	return func(tool string) (Keys, bool) {
		keys, ok := all[tool]
		return keys, ok
	}
}

// Of returns the keys of a contract. An undeclared effect or trust becomes the
// one that the guard enforces.
func Of(d contract.Document) Keys {
	k := Keys{
		RiskLevel: d.Effect.Effective(), ContentTrustRisk: d.ContentTrust.Effective(),
		Version: d.Version, Aliases: slices.Clone(d.Aliases),
	}
	k.ReadOnlyHint, k.DestructiveHint = k.RiskLevel == risk.ReadOnly, k.RiskLevel == risk.Destructive
	d.Effect = risk.LowRiskWrite // a read-only tool would be idempotent without declaring it
	k.IdempotentHint = d.Hints().Idempotent
	if d.Deprecated != nil {
		k.DeprecatedSince = d.Deprecated.Since
	}
	return k
}
