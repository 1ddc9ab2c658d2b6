package guard

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/trifecta"
)

// checkTrifecta reports the tools of s that send data without asking a person,
// if [WithTrifectaConfirmation] demands it and others of s make that a leak.
func (g *Guard) checkTrifecta(s *engine.Set, bad func(rule, tool, clause, message, remedy string)) {
	if !g.trifecta {
		return
	}
	var tools []trifecta.Tool
	for _, t := range s.Tools() {
		tools = append(tools, trifecta.Tool{Contract: g.asEnforced(t)})
	}
	report := trifecta.Find(tools...)
	for _, sender := range report.Unconfirmed() {
		bad("protect.trifecta", sender.Tool, "confirmation",
			"the tool sends data out and runs without a person, and other tools bring it untrusted and private data: "+report.String(),
			"declare ConfirmAlways, without Resolve and without WithAuditOnly for the confirmation; package trifecta explains what counts")
	}
}

// asEnforced returns the contract of t with the confirmation that the guard
// enforces for all arguments.
func (g *Guard) asEnforced(t *facts.Tool) contract.Document {
	d := t.Doc
	switch {
	case t.AuditOnly[facts.ClauseConfirmation]:
		d.Confirmation = contract.ConfirmationNever
	case d.Confirmation == contract.ConfirmationAlways && t.Resolves:
		d.Confirmation = contract.ConfirmationWhen
	}
	return d
}
