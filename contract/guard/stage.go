package guard

// A stage is one step of the pipeline. A nil result means: go on.
type stage struct {
	name string
	run  func(*call) *Result
}

// The names of the stages, as the audit log has them.
const (
	stageLookup       = "lookup"
	stageAuthenticate = "authenticate"
	stageAdmit        = "admit"
	stageValidate     = "validate"
	stageAuthorize    = "authorize"
	stageBudget       = "budget"
	stageConfirm      = "confirm"
	stageIntent       = "intent"
	stageRun          = "run"
	stageCheckResult  = "checkresult"
	stageAudit        = "audit"
)

// choose picks the stages of one tool, once:
//
//	Audit( Lookup → Authenticate → Admit → Validate → Authorize → Budget → Confirm → Intent → Run → CheckResult )
//
// Audit is around the slice, in Toolset.Call. The order matters:
// nobody learns anything of a tool they may not use, for permissions come
// before validation; nothing runs, and nobody is asked, before the arguments
// are valid; and the intent is on record before anything happens.
func (g *Guard) choose(e *entry) []stage {
	stages := []stage{
		{stageLookup, lookup},
		{stageAuthenticate, authenticate},
		{stageAdmit, admit},
		{stageValidate, validate},
	}
	if g.authorizer != nil {
		stages = append(stages, stage{stageAuthorize, authorize})
	}
	stages = append(stages, stage{stageBudget, checkBudget})
	if asks(e) {
		stages = append(stages, stage{stageConfirm, confirm})
	}
	if writesIntent(e) {
		stages = append(stages, stage{stageIntent, intend})
	}
	stages = append(stages, stage{stageRun, run}, stage{stageCheckResult, checkResult})

	kept := stages[:0]
	for _, s := range stages {
		if !g.skipped[s.name] {
			kept = append(kept, s)
		}
	}
	return kept
}
