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
	// Protections covers what an author gives up. That is care, such as the
	// risk, the trust and asking a person, or protection, such as permissions,
	// limits and the audit event. Improving a tool gives up nothing: a tool
	// that becomes idempotent is no weaker. [Diff] takes this view, and so does
	// an adapter when a tool is registered again.
	Protections View = iota
	// Claims is how a client or a gateway views someone else's server. Whatever
	// is weaker under Protections is weaker here too. So is a new claim that
	// nothing proves and that makes callers less careful: that a repeated call
	// has no second effect. Taking such a claim back is weaker in both views.
	// Package catalog takes this view.
	Claims
)

// A Weakening is one clause that is weaker than before.
type Weakening struct {
	// Clause is the member of the [contract.Document], such as "permissions".
	// It is empty for "principal.waived", because several clauses together make
	// that demand.
	Clause string
	// Rule identifies the change, as [Change].Rule does.
	Rule string
}

// Weaker returns the ways in which a contract is weaker than an earlier one of
// the same tool. Each appears once, in the order of a contract's clauses. It
// returns nil if no clause is weaker. Clauses that a document leaves out count
// as [contract.Document.Effective] fills them in. A limit is weaker if it
// allows a call that the earlier one refused.
//
// Weaker does not compare schemas. [Diff] does, and also reports a field that
// is no longer sensitive, secret or marked for review as a downgrade.
func Weaker(view View, old, now contract.Document) []Weakening {
	var all []Weakening
	for _, f := range clausediff.Weaker(clausediff.View(view), old, now) {
		if w := (Weakening{Clause: f.Clause(), Rule: f.Rule}); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
