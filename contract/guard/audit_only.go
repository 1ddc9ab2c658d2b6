package guard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/suggest"
	"github.com/toolcontract/toolcontract/risk"
)

// The clauses that [WithAuditOnly] knows, by their names in the document.
const (
	clauseConfirmation = "confirmation"
	clauseDryRun       = "dryRun"
	clauseObject       = "objectAuthorization"
	clausePermissions  = "permissions"
	clauseRateLimit    = "rateLimit"
	clauseStepUp       = "stepUp"
)

// auditableClauses returns the clauses that can be left to the audit log,
// sorted.
func auditableClauses() []string {
	return []string{clauseConfirmation, clauseDryRun, clauseObject, clausePermissions, clauseRateLimit, clauseStepUp}
}

// checkAuditOnly reports the clauses of a tool that cannot be left to the audit
// log.
func (g *Guard) checkAuditOnly(t *protectedTool, bad func(clause, message, remedy string)) {
	d := &t.doc
	has := map[string]bool{
		clauseConfirmation: asks(g, t), clauseDryRun: requiresDryRun(g, t), clausePermissions: len(d.Permissions) > 0,
		clauseObject: d.ObjectAuthorization, clauseRateLimit: true, clauseStepUp: d.StepUp != nil,
	}
	for _, alias := range d.Aliases {
		if g.auditOnly[alias] != nil {
			bad("aliases", "WithAuditOnly names the tool by its alias "+alias, "name it "+d.Name)
		}
	}
	demanded := map[string]bool{
		clausePermissions:  d.SecurityLevel.NeedsPermissions(),
		clauseConfirmation: d.SecurityLevel.NeedsVerification() && (d.StepUp == nil || t.auditOnly[clauseStepUp]),
		clauseStepUp:       d.SecurityLevel.NeedsVerification() && (d.Confirmation != contract.ConfirmationAlways || resolves(g, t)),
	}
	for _, clause := range auditableClauses() {
		switch {
		case !t.auditOnly[clause]:
		case d.Risk.AtLeast(risk.Critical):
			bad(clause, "WithAuditOnly names the clause of a tool at "+d.Risk.String()+" risk", "remove it from WithAuditOnly: from critical up every clause is enforced")
		case !has[clause]:
			bad(clause, "WithAuditOnly names a clause that the tool does not have", "remove it from WithAuditOnly")
		case demanded[clause]:
			bad(clause, fmt.Sprintf("WithAuditOnly names a clause that security level %d demands", d.SecurityLevel), "remove it from WithAuditOnly, or lower the level")
		}
	}
}

// warnOfAuditOnly logs each tool that [WithAuditOnly] names and the guard's
// first toolset with tools lacks. It is no error, because a later toolset may
// have the tool.
func (g *Guard) warnOfAuditOnly(s *Toolset) {
	if len(g.auditOnly) == 0 || len(s.tools) == 0 || !g.once.isFirst("", "auditOnly") {
		return
	}
	names := slices.Sorted(maps.Keys(s.byName))
	for _, tool := range slices.Sorted(maps.Keys(g.auditOnly)) {
		if s.byName[tool] == nil {
			g.log().Warn("toolcontract: guard.WithAuditOnly has no effect, because the guard has no tool of this name",
				"tool", tool, "remedy", "name a tool of the server"+suggest.DidYouMean(tool, names))
		}
	}
}
