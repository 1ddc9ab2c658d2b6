package engine

import "github.com/toolcontract/toolcontract/guard/internal/facts"

// The conditions under which a tool needs a stage of the pipeline.

func hasContract(_ *Engine, t *facts.ProtectedTool) bool { return t.Plain == nil }

func takesState(_ *Engine, t *facts.ProtectedTool) bool { return t.TakesState }

func asksPeople(_ *Engine, t *facts.ProtectedTool) bool { return t.AsksPeople }

// joinsSession reports whether calls of the tool count toward a session's
// bound. Lookups do not.
func joinsSession(g *Engine, t *facts.ProtectedTool) bool {
	return g.sessions != nil && !t.Audience.IsOfRecorded()
}

func asks(_ *Engine, t *facts.ProtectedTool) bool { return t.Asks }

func demandsStepUp(_ *Engine, t *facts.ProtectedTool) bool { return t.DemandsStepUp }

func resolves(_ *Engine, t *facts.ProtectedTool) bool { return t.Resolves }

func hasPreview(_ *Engine, t *facts.ProtectedTool) bool { return t.HasPreview }

func requiresDryRun(_ *Engine, t *facts.ProtectedTool) bool { return t.RequiresDryRun }

func isAtomic(_ *Engine, t *facts.ProtectedTool) bool { return t.IsAtomic() }

func authorizes(g *Engine, t *facts.ProtectedTool) bool {
	return g.config.Access.Authorize != nil || t.Doc.ObjectAuthorization || t.HasPreview || t.Resolves
}

func needsClaim(_ *Engine, t *facts.ProtectedTool) bool { return t.TakesState || t.IsDeduplicated }

// looksUpFirst reports whether a call with a key is looked up before a person
// or a preview is needed for it, or the tool author's function checks it.
func looksUpFirst(g *Engine, t *facts.ProtectedTool) bool {
	return t.IsDeduplicated && (t.Asks || t.DemandsStepUp || t.RequiresDryRun || prechecks(g, t))
}

func prechecks(_ *Engine, t *facts.ProtectedTool) bool { return t.Impl.Facts().Has.Precheck }

func intendsBeforeClaim(g *Engine, t *facts.ProtectedTool) bool {
	return needsAudit(g, t) && !t.AsksPeople
}

func intendsAfterClaim(g *Engine, t *facts.ProtectedTool) bool {
	return needsAudit(g, t) && t.AsksPeople
}

// needsAudit reports whether a call may not run while the audit log cannot be
// written.
func needsAudit(g *Engine, t *facts.ProtectedTool) bool {
	return hasContract(g, t) && (t.WritesIntent || t.Doc.Risk.AtLeast(g.config.AuditFrom))
}
