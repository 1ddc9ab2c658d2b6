package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// The clauses that [AuditOnly] knows, by their names in the document.
const (
	clauseConfirmation = "confirmation"
	clauseDryRun       = "dryRun"
	clausePermissions  = "permissions"
	clauseRateLimit    = "rateLimit"
	clauseStepUp       = "stepUp"
)

// AuditOnly has clauses of one tool watched and not kept, while a contract is
// being introduced: a call that breaks one goes on, and its audit events name
// the clause under auditOnly. Clauses are "permissions", "rateLimit", "dryRun"
// (that one is required), "confirmation" and "stepUp"; any other is an error, for
// nothing else of a contract can be left out, totalRateLimit neither. So is one, of [Guard.Protect], that
// the tool does not have, that its security level demands, or that is of a tool
// from critical up. Permissions that are only watched show the tool in the list
// to every known caller. The name is the tool's, not an alias of it; one that no
// tool has relaxes nothing. Default: every clause is kept.
func AuditOnly(tool string, clauses ...string) Option {
	return optionFunc(func(g *Guard) error {
		known := []string{clauseConfirmation, clauseDryRun, clausePermissions, clauseRateLimit, clauseStepUp}
		if tool == "" || len(clauses) == 0 {
			return fmt.Errorf("guard: AuditOnly: name a tool and some of %s", strings.Join(known, ", "))
		}
		for _, clause := range clauses {
			if !slices.Contains(known, clause) {
				return fmt.Errorf("guard: AuditOnly: %s: %q cannot be left to the audit log; %s can", tool, clause, strings.Join(known, ", "))
			}
			if g.auditOnly[tool] == nil {
				g.auditOnly[tool] = map[string]bool{}
			}
			g.auditOnly[tool][clause] = true
		}
		return nil
	})
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
	for _, clause := range []string{clauseConfirmation, clauseDryRun, clausePermissions, clauseRateLimit, clauseStepUp} {
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
