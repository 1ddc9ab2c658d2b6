package guard

// WithoutStage switches one stage off, to show that a test notices.
func WithoutStage(name string) Option {
	return optionFunc(func(c *config) error {
		if c.skipped == nil {
			c.skipped = map[string]bool{}
		}
		c.skipped[name] = true
		return nil
	})
}

// StageNames lists every stage that can be switched off, in the order of the
// pipeline.
func StageNames() []string {
	return []string{
		stageLookup, stageOpenState, stageAuthenticate, stageAdmit, stageValidate, stageResolve, stageAuthorize,
		stageBudget, stagePreview, stageReplay, stageRequire, stageConfirm, stageStepUp, stageIntent, stageReserve, stageBegin, stageSpend, stageMark, stageRun, stageCheckResult,
		stageComplete, stageAudit,
	}
}

// Retimed seals the state of a question again, with other times.
func Retimed(g *Guard, state string, change func(issued, expires *int64)) string {
	s, err := g.openState(state)
	if err != nil {
		return ""
	}
	change(&s.Issued, &s.Expires)
	return g.sealState(*s)
}
