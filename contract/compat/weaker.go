package compat

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/clausediff"
)

// A View decides what counts as weaker for [Weaker]. The zero value is
// [Protections].
type View int

const (
	// Protections covers what an author gives up: care, such as the risk, the
	// trust and the question to a person, and protection, such as permissions,
	// limits and the audit event. Improving a tool gives up nothing: a tool
	// that becomes idempotent is no weaker. [Diff] takes this view, and so does
	// an adapter when a tool is registered again.
	Protections View = iota
	// Claims is how a client or a gateway views someone else's server. Whatever
	// is weaker under Protections is weaker here too, and so is an unproven
	// claim that makes callers less careful: that a repeated call has no second
	// effect. A server that takes such a claim back is weaker in both views.
	// Package catalog takes this view.
	Claims
)

// A Weakening is one clause that is weaker than before.
type Weakening struct {
	// Clause is the member of the [contract.Document], such as "permissions".
	// Empty: a demand that several clauses make together, with the rule
	// "principal.waived".
	Clause string
	// Rule is the identifier of the change, as in [Change].Rule.
	Rule string
}

// Weaker returns how a contract is weaker than an earlier one of the same tool,
// each weakening once and in the order of a contract's clauses. It returns nil
// if no clause is weaker. Clauses that a document leaves out count as
// [contract.Document.Effective] fills them in. A limit is weaker if it allows a
// call that the earlier one refused.
//
// Weaker doesn't compare schemas. [Diff] does, and reports a field that is no
// longer sensitive, secret or marked for review as a downgrade too.
func Weaker(view View, old, now contract.Document) []Weakening {
	var all []Weakening
	for _, f := range clausediff.Weaker(clausediff.View(view), old, now) {
		if w := (Weakening{Clause: f.Clause(), Rule: f.Rule}); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
