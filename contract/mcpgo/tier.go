package mcpgo

import "github.com/toolcontract/toolcontract/contract/adapter"

// A ContractTier selects how much of a contract tools/list shows. The hints and
// the schemas are always there. The zero value is [Summary]; see
// [adapter.Tier].
type ContractTier = adapter.Tier

const (
	// Summary shows the [contract.Summary], at most 200 bytes of JSON. The
	// contract's own name comes on top if the tool is listed under another.
	Summary = adapter.Summary
	// Full shows the whole [contract.Document] except the schemas, which the
	// tool has beside it.
	Full = adapter.Full
	// Hints shows nothing: the tool has no _meta.
	Hints = adapter.Hints
)
