package contracttest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

func judgeServed(s *subject, _ []*subject, say func(clause, message string)) {
	_, err := mcpgo.Report(s.tool)
	for _, e := range contract.DeclarationErrors(err) {
		say(e.Clause, fmt.Sprintf("%s: %s; %s", e.Rule, e.Message, e.Remedy))
	}
	if err != nil && !errors.Is(err, contract.ErrDeclaration) {
		say("", "the tool cannot be written as JSON")
	}
}

func judgeExternal(s *subject, _ []*subject, say func(clause, message string)) {
	if s.doc.Risk.AtLeast(risk.Critical) {
		return
	}
	for i, e := range s.doc.SideEffects {
		if e.Reach == contract.External && e.Undo == contract.Irreversible {
			say(fmt.Sprintf("sideEffects/%d", i), fmt.Sprintf("the effect is external and irreversible, and the risk is %s", s.doc.Risk))
		}
	}
}

func judgeTrust(s *subject, _ []*subject, say func(clause, message string)) {
	if s.doc.ContentTrust.IsZero() {
		say("contentTrust", "the trust in what the tool returns is not declared, and it is treated as prone to prompt injection")
	}
}

func judgePermissions(s *subject, _ []*subject, say func(clause, message string)) {
	if len(s.doc.Permissions) == 0 && s.doc.NoPermissions == "" {
		say("permissions", "anybody may call the tool, and the contract does not say why")
	}
}

func judgeWaived(s *subject, _ []*subject, say func(clause, message string)) {
	if s.doc.Risk.AtLeast(risk.High) && s.doc.Confirmation == contract.ConfirmationNever {
		say("confirmation", fmt.Sprintf("the risk is %s and nobody is asked", s.doc.Risk))
	}
}

func judgeStepUp(s *subject, _ []*subject, say func(clause, message string)) {
	if s.isCritical() && s.doc.StepUp == nil {
		say("stepUp", "no step-up is declared")
	}
}

// isCritical reports whether the tool does what the level critical is for. A forbidden one does nothing.
func (s *subject) isCritical() bool {
	return s.doc.Risk == risk.Critical || s.doc.Risk == risk.Restricted && s.doc.Effect.Floor() == risk.Critical
}

func judgeSideEffects(s *subject, _ []*subject, say func(clause, message string)) {
	if s.writes() && len(s.doc.SideEffects) == 0 {
		say("sideEffects", fmt.Sprintf("the effect is %s and no side effect is declared", s.doc.Effect))
	}
}

func judgeOnRepeat(s *subject, _ []*subject, say func(clause, message string)) {
	if s.doc.Hints().Idempotent {
		return
	}
	for i, e := range s.doc.SideEffects {
		if strings.TrimSpace(e.OnRepeat) == "" {
			say(fmt.Sprintf("sideEffects/%d/onRepeat", i), "the tool is not idempotent and what a repetition does is not said")
		}
	}
}

func judgeIdempotency(s *subject, _ []*subject, say func(clause, message string)) {
	if !s.doc.Hints().Idempotent {
		say("idempotency", "a repeated call does it again")
	}
}

func (s *subject) hasDryRun() bool {
	return s.doc.DryRun == dryrun.Supported || s.doc.DryRun == dryrun.Required
}

func judgeBulk(s *subject, _ []*subject, say func(clause, message string)) {
	if !s.isCritical() || s.hasDryRun() {
		return
	}
	for _, m := range s.input {
		if m.isList() {
			say(m.path, "the tool is critical, takes a list and cannot be tried first")
		}
	}
}

func judgeDryRun(s *subject, _ []*subject, say func(clause, message string)) {
	if s.isCritical() && !s.hasDryRun() {
		say("dryRun", "the tool is critical and cannot be tried first")
	}
}

func judgeFailures(s *subject, _ []*subject, say func(clause, message string)) {
	if !s.writes() {
		return
	}
	generic := false
	for _, f := range s.doc.FailureModes {
		if f.By != contract.ByTool {
			continue
		}
		if f.Code != contract.CodeToolRetry && f.Code != contract.CodeToolFatal {
			return
		}
		generic = true
	}
	if generic {
		say("failureModes", "the tool declares the generic failures alone")
	} else {
		say("failureModes", "the tool declares no failure of its own")
	}
}

func judgeTimeout(s *subject, _ []*subject, say func(clause, message string)) {
	if s.reachesOut() && s.doc.TimeoutMs == 0 {
		say("timeoutMs", "a call may change something outside the system and has no timeout")
	}
}

func judgeCost(s *subject, _ []*subject, say func(clause, message string)) {
	report, err := mcpgo.Report(s.tool)
	if err != nil {
		return // serve.refused says it
	}
	if n := mcpgo.Tokens(report.Total().Full); n > MaxTokens {
		say("", fmt.Sprintf("the tool's entry in tools/list costs about %d tokens", n))
	}
}
