package guard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/engine"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/suggest"
	"github.com/toolcontract/toolcontract/risk"
)

// checkAuditOnly reports the clauses of a tool that cannot be left to the audit
// log.
func (g *Guard) checkAuditOnly(t *facts.Tool, bad func(clause, message, remedy string)) {
	d := &t.Doc
	has := map[string]bool{
		facts.ClauseConfirmation: t.Asks, facts.ClauseDryRun: t.RequiresDryRun, facts.ClausePermissions: len(d.Permissions) > 0,
		facts.ClauseObject: d.ObjectAuthorization, facts.ClauseRateLimit: true, facts.ClauseStepUp: d.StepUp != nil,
	}
	for _, alias := range d.Aliases {
		if g.auditOnly[alias] != nil {
			bad("aliases", "WithAuditOnly names the tool by its alias "+alias, "name it "+d.Name)
		}
	}
	demanded := map[string]bool{
		facts.ClausePermissions:  d.SecurityLevel.NeedsPermissions(),
		facts.ClauseConfirmation: d.SecurityLevel.NeedsVerification() && (d.StepUp == nil || t.AuditOnly[facts.ClauseStepUp]),
		facts.ClauseStepUp:       d.SecurityLevel.NeedsVerification() && (d.Confirmation != contract.ConfirmationAlways || t.Resolves),
	}
	for _, clause := range facts.AuditableClauses() {
		switch {
		case !t.AuditOnly[clause]:
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
func (g *Guard) warnOfAuditOnly(s *engine.Set) {
	tools := s.Tools()
	lines := g.engine.Lines()
	if len(g.auditOnly) == 0 || len(tools) == 0 || !lines.IsFirst("", "auditOnly") {
		return
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Doc.Name
	}
	for _, tool := range slices.Sorted(maps.Keys(g.auditOnly)) {
		if !s.Has(tool) {
			lines.Logger().Warn("toolcontract: guard.WithAuditOnly has no effect, because the guard has no tool of this name",
				"tool", tool, "remedy", "name a tool of the server"+suggest.DidYouMean(tool, names))
		}
	}
}
