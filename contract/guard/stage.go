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
	stageReplay       = "replay"
	stageConfirm      = "confirm"
	stageIntent       = "intent"
	stageReserve      = "reserve"
	stageBegin        = "begin"
	stageRun          = "run"
	stageCheckResult  = "checkresult"
	stageComplete     = "complete"
	stageAudit        = "audit"

	// stageResolveUnknown is an operator's act, outside the pipeline.
	stageResolveUnknown = "resolveunknown"
)

// choose picks the stages of one tool, once:
//
//	Audit( Complete( Lookup → Authenticate → Admit → Validate → Authorize → Budget → Replay → Confirm → Intent → Reserve → Begin → Run → CheckResult ) )
//
// Audit and Complete are around the slice, in Toolset.Call. The order matters:
// nobody learns anything of a tool they may not use, for permissions come
// before validation; nothing runs, and nobody is asked, before the arguments
// are valid; what was done already is not asked about again; and the intent is
// on record before anything happens, the claim of a managed call last.
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
		if isManaged(e) {
			stages = append(stages, stage{stageReplay, replay})
		}
		stages = append(stages, stage{stageConfirm, confirm})
	}
	if writesIntent(e) {
		stages = append(stages, stage{stageIntent, intend})
	}
	stages = append(stages, stage{stageReserve, reserve})
	if isManaged(e) {
		stages = append(stages, stage{stageBegin, begin})
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
