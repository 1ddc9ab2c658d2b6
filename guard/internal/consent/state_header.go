package consent

import (
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/facts"
)

// A StateHeader binds a state that a client carries, sealed, to one call: to
// its principal, tool, arguments, contract and server, and to a time.
type StateHeader struct {
	// Issued and Expires are milliseconds since the Unix epoch. The state
	// counts from Issued until just before Expires.
	Issued  int64 `json:"iat"`
	Expires int64 `json:"exp"`
	// Audience is the name of the server, Tool the name of the tool, Contract
	// the contract's digest, and Terms the resolved clauses.
	Audience string `json:"aud"`
	Tool     string `json:"tool"`
	Contract string `json:"contract"`
	Terms    string `json:"terms,omitempty"`
	// Arguments and Principal are digests.
	Arguments string `json:"args"`
	Principal string `json:"sub"`
	// CallID is the call that the state belongs to. Nonce identifies the
	// question, or the round of a handler.
	CallID string `json:"call"`
	Nonce  string `json:"nonce"`
}

// HeaderOf returns the header of a state for exactly this call, without a time
// and a nonce.
func HeaderOf(v facts.View, audience, terms string) StateHeader {
	return StateHeader{
		Audience: audience, Tool: v.Tool.Doc.Name, Contract: v.Tool.Digest(), Terms: terms,
		Arguments: ArgumentsDigest(v.Args.Canonical), Principal: PrincipalDigest(v.Scope), CallID: v.Journal.ID(),
	}
}

// IsFor reports whether the state was issued to this principal for these
// arguments.
func (h *StateHeader) IsFor(principal, arguments string) bool {
	return h.Principal == principal && h.Arguments == arguments
}

// IsExpired reports whether now is outside the state's time, or the contract
// has changed since.
func (h *StateHeader) IsExpired(contract string, now time.Time) bool {
	ms := now.UnixMilli()
	return h.Contract != contract || ms >= h.Expires || ms < h.Issued
}
