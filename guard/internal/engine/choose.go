package engine

// The conditions under which a tool needs a stage of the pipeline.

func takesState(_ *Engine, t *Tool) bool { return t.TakesState }

func asksPeople(_ *Engine, t *Tool) bool { return t.AsksPeople }

func asks(_ *Engine, t *Tool) bool { return t.Asks }

func demandsStepUp(_ *Engine, t *Tool) bool { return t.DemandsStepUp }

func resolves(_ *Engine, t *Tool) bool { return t.Resolves }

func hasPreview(_ *Engine, t *Tool) bool { return t.HasPreview }

func requiresDryRun(_ *Engine, t *Tool) bool { return t.RequiresDryRun }

func isAtomic(_ *Engine, t *Tool) bool { return t.IsAtomic() }

func authorizes(g *Engine, t *Tool) bool {
	return g.config.Access.Authorize != nil || t.Doc.ObjectAuthorization || t.HasPreview || t.Resolves
}

func claimed(_ *Engine, t *Tool) bool { return t.TakesState || t.IsDeduplicated }

// looksUpFirst reports whether a call with a key is looked up before a person
// or a preview is needed for it, or the tool author's function checks it.
func looksUpFirst(g *Engine, t *Tool) bool {
	return t.IsDeduplicated && (t.Asks || t.DemandsStepUp || t.RequiresDryRun || prechecks(g, t))
}

func prechecks(_ *Engine, t *Tool) bool { return t.Half.Facts().Has.Precheck }

func intendsBeforeClaim(g *Engine, t *Tool) bool { return needsAudit(g, t) && !t.AsksPeople }

func intendsAfterClaim(g *Engine, t *Tool) bool { return needsAudit(g, t) && t.AsksPeople }

// needsAudit reports whether a call may not run while the audit log cannot be
// written.
func needsAudit(g *Engine, t *Tool) bool {
	return t.WritesIntent || t.Doc.Risk.AtLeast(g.config.AuditFrom)
}

// choose picks the stages of one tool, once.
func (g *Engine) choose(t *Tool) []Stage {
	chosen := make([]Stage, 0, len(g.stages))
	for _, s := range g.stages {
		if s.when == nil || s.when(g, t) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}
