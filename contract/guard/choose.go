package guard

import "github.com/toolcontract/toolcontract/contract"

// The conditions under which a tool needs a stage of the pipeline.

// asksPeople reports whether a call may be one round of several: a question
// about it was asked in an earlier one.
func asksPeople(g *Guard, t *protectedTool) bool { return asks(g, t) || g.stepsUp(t) }

// takesState reports whether a call may carry a state: that of a question, or
// that of the handler.
func takesState(g *Guard, t *protectedTool) bool { return asksPeople(g, t) || asksForInput(t) }

func asks(_ *Guard, t *protectedTool) bool {
	return t.doc.Confirmation != contract.ConfirmationNever
}

func demandsStepUp(_ *Guard, t *protectedTool) bool { return t.doc.StepUp != nil }

func authorizes(g *Guard, t *protectedTool) bool {
	return g.authorizer != nil || t.doc.ObjectAuthorization || hasPreview(g, t) || resolves(g, t)
}

// authorizesAgain reports whether a call may wait for a person after it was
// authorized. The person may need minutes.
func authorizesAgain(g *Guard, t *protectedTool) bool { return authorizes(g, t) && asksPeople(g, t) }

func claims(g *Guard, t *protectedTool) bool { return takesState(g, t) || t.isDeduplicated() }

// looksUpFirst reports whether a call with a key is looked up before a person
// or a preview is needed for it.
func looksUpFirst(g *Guard, t *protectedTool) bool {
	return t.isDeduplicated() && (asks(g, t) || demandsStepUp(g, t) || requiresDryRun(g, t))
}

func intendsBeforeClaim(g *Guard, t *protectedTool) bool {
	return needsAudit(g, t) && !asksPeople(g, t)
}

func intendsAfterClaim(g *Guard, t *protectedTool) bool { return needsAudit(g, t) && asksPeople(g, t) }

// needsAudit reports whether a call may not run while the audit log cannot be
// written.
func needsAudit(g *Guard, t *protectedTool) bool {
	return t.writesIntent() || t.doc.Risk.AtLeast(g.audit.requiredFrom)
}

// choose picks the stages of one tool, once.
func (g *Guard) choose(t *protectedTool) []stage {
	chosen := make([]stage, 0, len(g.pipeline))
	for _, s := range g.pipeline {
		if s.when == nil || s.when(g, t) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}
