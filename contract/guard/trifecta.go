package guard

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/trifecta"
)

// checkTrifecta reports the tools of s that send data without asking a person,
// if [WithTrifectaConfirmation] demands it and others of s make that a leak.
func (g *Guard) checkTrifecta(s *Toolset, bad func(rule, tool, clause, message, remedy string)) {
	if !g.trifecta {
		return
	}
	tools := make([]trifecta.Tool, 0, len(s.tools))
	for _, t := range s.tools {
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
func (g *Guard) asEnforced(t *protectedTool) contract.Document {
	d := t.doc
	switch {
	case t.auditOnly[clauseConfirmation]:
		d.Confirmation = contract.ConfirmationNever
	case d.Confirmation == contract.ConfirmationAlways && resolves(g, t):
		d.Confirmation = contract.ConfirmationWhen
	}
	return d
}
