package guard

// WithoutStage switches one stage off, to show that a test notices.
func WithoutStage(name string) Option {
	return optionFunc(func(g *Guard) error {
		if g.skipped == nil {
			g.skipped = map[string]bool{}
		}
		g.skipped[name] = true
		return nil
	})
}

// StageNames lists every stage that can be switched off, in the order of the
// pipeline.
func StageNames() []string {
	return []string{
		stageLookup, stageAuthenticate, stageAdmit, stageValidate, stageAuthorize,
		stageBudget, stageReplay, stageConfirm, stageIntent, stageReserve, stageBegin, stageRun, stageCheckResult,
		stageComplete, stageAudit,
	}
}
