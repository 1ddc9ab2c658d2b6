package guard

import (
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// The clauses that [WithAuditOnly] knows, by their names in the document.
const (
	clauseConfirmation = "confirmation"
	clauseDryRun       = "dryRun"
	clausePermissions  = "permissions"
	clauseRateLimit    = "rateLimit"
	clauseStepUp       = "stepUp"
)

// auditableClauses returns the clauses that can be left to the audit log, sorted.
func auditableClauses() []string {
	return []string{clauseConfirmation, clauseDryRun, clausePermissions, clauseRateLimit, clauseStepUp}
}

// checkAuditOnly says what of a tool cannot be left to the audit log.
func (g *Guard) checkAuditOnly(e *entry, bad func(clause, message, remedy string)) {
	d := &e.doc
	has := map[string]bool{
		clauseConfirmation: asks(e), clauseDryRun: requiresDryRun(e), clausePermissions: len(d.Permissions) > 0,
		clauseRateLimit: true, clauseStepUp: d.StepUp != nil,
	}
	for _, alias := range d.Aliases {
		if g.auditOnly[alias] != nil {
			bad("aliases", "AuditOnly names the tool by its alias "+alias, "name it "+d.Name)
		}
	}
	demanded := map[string]bool{
		clausePermissions:  d.SecurityLevel.NeedsPermissions(),
		clauseConfirmation: d.SecurityLevel.NeedsVerification() && (d.StepUp == nil || e.auditOnly[clauseStepUp]),
		clauseStepUp:       d.SecurityLevel.NeedsVerification() && (d.Confirmation != contract.ConfirmationAlways || resolves(e)),
	}
	for _, clause := range auditableClauses() {
		switch {
		case !e.auditOnly[clause]:
		case d.Risk.AtLeast(risk.Critical):
			bad(clause, "AuditOnly names the clause of a tool at "+d.Risk.String(), "keep it: from critical up every clause is kept")
		case !has[clause]:
			bad(clause, "AuditOnly names a clause that the tool does not have", "remove it from AuditOnly")
		case demanded[clause]:
			bad(clause, fmt.Sprintf("AuditOnly names a clause that security level %d demands", d.SecurityLevel), "keep it, or lower the level")
		}
	}
}

// waives reports whether a clause that the call breaks is only watched, and
// takes it down for the audit log.
func (c *call) waives(clause string) bool {
	if !c.entry.auditOnly[clause] {
		return false
	}
	if !slices.Contains(c.waived, clause) {
		c.waived = append(c.waived, clause)
		slices.Sort(c.waived)
	}
	return true
}
