package gosdk

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

// A Naming is the form in which names are listed and called. The zero value is
// [Underscore]; see [adapter.Naming].
type Naming = contract.Naming

const (
	// Underscore writes "_" for ".": "emails_send". Every host accepts it. Some
	// hosts drop a whole server because of one dotted name.
	Underscore = contract.Underscore
	// Dotted writes names as the contracts have them: "emails.send".
	Dotted = contract.Dotted
)

// A ContractTier selects how much of a contract tools/list shows. The hints and
// the schemas are always there. The zero value is [Summary].
type ContractTier = adapter.Tier

const (
	// Summary shows the [contract.Summary], at most 200 bytes of JSON.
	Summary = adapter.Summary
	// Full shows the whole [contract.Document] except the schemas, which the
	// tool has beside it.
	Full = adapter.Full
	// Hints shows nothing: the tool has no _meta.
	Hints = adapter.Hints
)
