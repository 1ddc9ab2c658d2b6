// Package clausediff compares the clauses of two contracts of one tool, and
// decides which differences make a contract weaker. It does not compare
// schemas, so adapters can use it without linking the code that does. Package
// compat exposes it, and adds each rule's class and reason.
package clausediff

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A Finding is one difference between two contracts.
type Finding struct {
	// Rule identifies the kind of difference, such as "permission.removed".
	Rule string
	// Pointer is a JSON Pointer to the difference in the new contract, or in
	// the old one for a part that is gone. Empty: the whole contract.
	Pointer string
	// From and To are the old and the new value. Nil: there is none.
	From, To any
}

// Clause returns the member of the document that differs, or "" for a demand
// that several clauses make together.
func (f Finding) Clause() string {
	clause, _, _ := strings.Cut(strings.TrimPrefix(f.Pointer, "/"), "/")
	return clause
}

// A clause compares one clause of two contracts, or several that belong
// together.
type clause func(d *differ)

// Compare returns the differences between two contracts of one tool, clause by
// clause.
func Compare(old, now contract.Document) []Finding {
	d := &differ{old: side{old, old.Effective()}, now: side{now, now.Effective()}}
	for _, compare := range slices.Concat(
		formClauses(), nameClauses(), textClauses(), riskClauses(), trustClauses(), accessClauses(), consentClauses(),
		resolveClauses(), repetitionClauses(), limitClauses(), failureClauses(), argumentClauses(),
	) {
		compare(d)
	}
	d.principal() // after the clauses that it follows from
	return d.findings
}

// JSON returns the JSON of a part of a document, or nil for a value that has
// none, such as an unknown value of an enum.
func JSON(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil || string(data) == "null" {
		return nil
	}
	return data
}
