package mcpgo

import "github.com/toolcontract/toolcontract/contract"

// A Naming is the form in which names are listed and called. The zero value is
// [Underscore].
//
// The name on the wire is the only one that is listed and called. No other tool
// can take the contract's own name. Each alias can be called in both forms,
// under every naming, so an old name still works after a server has changed its
// naming. To let callers use the form that is not listed, add the name itself
// as an alias.
//
// Hints, error texts, descriptions and the notices of deprecations name the
// tools of the server as they are listed. Schemas and results stay as they are
// written. The contract in _meta, its digest, the audit log and questions to a
// person have the contract's own name. A question is the same on every page and
// in every client, and shows the arguments exactly as they were sent.
type Naming = contract.Naming

const (
	// Underscore writes "_" for ".": "emails_send". Every host accepts it. Some
	// hosts drop a whole server because of one dotted name.
	Underscore = contract.Underscore
	// Dotted writes names as the contracts have them: "emails.send".
	Dotted = contract.Dotted
)
