package guard

// A stage is one step of the pipeline. A nil result means: go on.
type stage struct {
	name string
	run  func(*call) *Result
}

// The names of the stages, as the audit log has them.
const (
	stageLookup       = "lookup"
	stageOpenState    = "openstate"
	stageAuthenticate = "authenticate"
	stageAdmit        = "admit"
	stageValidate     = "validate"
	stageResolve      = "resolve"
	stageAuthorize    = "authorize"
	stageBudget       = "budget"
	stagePreview      = "preview"
	stageReplay       = "replay"
	stageRequire      = "requiredryrun"
	stageConfirm      = "confirm"
	stageStepUp       = "stepup"
	stageIntent       = "intent"
	stageReserve      = "reserve"
	stageBegin        = "begin"
	stageSpend        = "spenddryrun"
	stageMark         = "mark"
	stageRun          = "run"
	stageCheckResult  = "checkresult"
	stageComplete     = "complete"
	stageAudit        = "audit"

	// Outside the pipeline: an operator's act, and those of a person who confirms
	// or authenticates.
	stageResolveUnknown = "resolveunknown"
	stageDecide         = "decide"
	stageCompleteStepUp = "completestepup"
)

// choose picks the stages of one tool, once:
//
//	Audit( Complete( Lookup → OpenState → Authenticate → Admit → Validate → Resolve → Authorize → Budget → Preview → Replay →
//		RequireDryRun → Confirm → StepUp → Intent → Reserve → Begin → SpendDryRun → Run → CheckResult ) )
//
// Audit and Complete are around the slice, in Toolset.Call. The order matters:
// nobody learns anything of a tool they may not use, for permissions come
// before validation; nothing runs, and nobody is asked, before the arguments
// are valid; what was done already is not asked about again; nobody authenticates
// for what they will decline; and the intent is on record before anything
// happens, the claim of a managed call last.
func (g *Guard) choose(e *entry) []stage {
	stages := []stage{{stageLookup, lookup}}
	if g.comesBack(e) {
		stages = append(stages, stage{stageOpenState, openState})
	}
	stages = append(stages, stage{stageAuthenticate, authenticate}, stage{stageAdmit, admit}, stage{stageValidate, validate})
	if resolves(e) {
		stages = append(stages, stage{stageResolve, resolve})
	}
	if g.authorizer != nil || hasPreview(e) || resolves(e) {
		stages = append(stages, stage{stageAuthorize, authorize})
	}
	stages = append(stages, stage{stageBudget, checkBudget})
	if hasPreview(e) {
		stages = append(stages, stage{stagePreview, preview})
	}
	if isManaged(e) && (asks(e) || e.doc.StepUp != nil || requiresDryRun(e)) {
		stages = append(stages, stage{stageReplay, replay})
	}
	if requiresDryRun(e) {
		stages = append(stages, stage{stageRequire, requireDryRun})
	}
	if asks(e) {
		stages = append(stages, stage{stageConfirm, confirm})
	}
	if e.doc.StepUp != nil {
		stages = append(stages, stage{stageStepUp, stepUp})
	}
	stages = append(stages, g.toRun(e)...)

	kept := stages[:0]
	for _, s := range stages {
		if !g.skipped[s.name] {
			kept = append(kept, s)
		}
	}
	return kept
}

// comesBack reports whether a call may be one round of several: a question about
// it was put in an earlier one.
func (g *Guard) comesBack(e *entry) bool { return asks(e) || g.stepsUp(e) }

// toRun picks the stages from the decision that the call may happen to its
// result. A call that nobody is asked about is claimed and marked as started in
// one step, after its intent is on record. One that a person may have agreed to, or authenticated for,
// is claimed first, for only the claim tells whether this is the call that the
// answer was for; what is on record before it starts has then the right call id.
func (g *Guard) toRun(e *entry) []stage {
	reserved := stage{stageReserve, reserve}
	claimed := stage{stageBegin, begin}
	var stages []stage
	switch {
	case g.comesBack(e):
		stages = append(stages, reserved, claimed)
		if writesIntent(e) {
			stages = append(stages, stage{stageIntent, intend})
		}
		stages = append(stages, spends(e)...)
		stages = append(stages, stage{stageMark, mark})
	default:
		if writesIntent(e) {
			stages = append(stages, stage{stageIntent, intend})
		}
		stages = append(stages, reserved)
		if isManaged(e) {
			stages = append(stages, claimed)
		}
		stages = append(stages, spends(e)...)
	}
	return append(stages, stage{stageRun, run}, stage{stageCheckResult, checkResult})
}

// spends is the stage that uses a preview's token up, where one is required.
func spends(e *entry) []stage {
	if !requiresDryRun(e) {
		return nil
	}
	return []stage{{stageSpend, spendDryRun}}
}
