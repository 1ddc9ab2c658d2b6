package contracttest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/trifecta"
	"github.com/toolcontract/toolcontract/risk"
)

// clauseRules are about the other clauses.
var clauseRules = []Demand{
	{
		ID: "hints.explicit", Severity: Warning, Clause: "sideEffects",
		Summary: "The hints follow from declared clauses. Tool directories demand readOnlyHint, destructiveHint and " +
			"openWorldHint that are true of the tool.",
		Remedy: "declare Reach and Undo of every side effect",
		judge:  judgeHints,
	},
	{
		ID: "effect.verb", Severity: Info, Clause: "effect",
		Summary: "A tool with the name of a change is not read-only.",
		Remedy:  "declare the effect, or rename the tool",
		judge:   judgeVerb,
	},
	{
		ID: "risk.external", Severity: Warning, Clause: "risk",
		Summary: "A tool with an external and irreversible side effect is critical.",
		Remedy:  "declare the effect external-publication, paid-operation or destructive",
		judge:   judgeExternal,
	},
	{
		ID: "trust.undeclared", Severity: Error, Clause: "contentTrust",
		Summary: "The trust in results is declared. If it is not, results count as prompt-injection-prone.",
		Remedy:  "declare Trust; use trust.PromptInjectionProne if strangers can write the results",
		judge:   judgeTrust,
	},
	{
		ID: "trifecta.unconfirmed", Severity: Warning, Clause: "confirmation",
		Summary: "Tools that together can leak private data ask a person before they send: one reads untrusted data, one reads " +
			"private data, one sends.",
		Remedy:   "declare ConfirmAlways for the tools that send; guard.WithTrifectaConfirmation makes it a condition for serving them",
		judgeAll: judgeTrifecta,
	},
	{
		ID: "permissions.undeclared", Severity: Info, Clause: "permissions",
		Summary: "A tool needs permissions or gives a reason why it does not, even if it changes nothing.",
		Remedy:  "declare Permissions, or NoPermissions with the reason",
		judge:   judgePermissions,
	},
	{
		ID: "confirmation.waived", Severity: Info, Clause: "confirmation",
		Summary: "A person is asked before a tool at high runs.",
		Remedy:  "remove ConfirmNever, or declare ConfirmWhen",
		judge:   judgeWaived,
	},
	{
		ID: "stepUp.critical", Severity: Info, Clause: "stepUp",
		Summary: "A critical tool can demand a fresh authentication.",
		Remedy:  "declare StepUp",
		judge:   judgeStepUp,
	},
	{
		ID: "sideEffects.missing", Severity: Error, Clause: "sideEffects",
		Summary: "A write declares its side effects. If it does not, it counts as one external and irreversible side effect.",
		Remedy:  "declare SideEffects",
		judge:   judgeSideEffects,
	},
	{
		ID: "sideEffects.onRepeat", Severity: Warning, Clause: "sideEffects",
		Summary: "A write that is not idempotent describes the effect of a repeated call.",
		Remedy:  "set OnRepeat, or declare Idempotency",
		judge:   judgeOnRepeat,
	},
	{
		ID: "idempotency.none", Severity: Info, Clause: "idempotency",
		Summary: "A write is idempotent if that is possible.",
		Remedy:  "declare native or managed Idempotency, or keyed if callers may repeat a call on purpose",
		judge:   judgeIdempotency,
	},
	{
		ID: "reconcile.missing", Severity: Info, Clause: "reconcile",
		Summary: "A managed write that is critical or reaches out of the system finds out what became of a lost call. Otherwise " +
			"its outcome stays unknown after a crash until an operator settles it.",
		Remedy: "declare Reconcile, with key fields or KeyRequired",
		judge:  judgeReconcile,
	},
	{
		ID: "dryRun.bulk", Severity: Warning, Clause: "dryRun",
		Summary: "A critical tool that takes a list has a dry run.",
		Remedy:  "declare DryRun, or limit the list to one item",
		judge:   judgeBulk,
	},
	{
		ID: "dryRun.critical", Severity: Info, Clause: "dryRun",
		Summary: "A critical tool has a dry run.",
		Remedy:  "declare DryRun",
		judge:   judgeDryRun,
	},
	{
		ID: "failures.missing", Severity: Warning, Clause: "failureModes",
		Summary: "A write declares its own failures. An undeclared error reaches callers as internal_error.",
		Remedy:  "declare Failures with codes of the tool's own",
		judge:   judgeFailures,
	},
	{
		ID: "timeout.missing", Severity: Warning, Clause: "timeoutMs",
		Summary: "A tool that changes something outside the system has a timeout.",
		Remedy:  "declare Timeout",
		judge:   judgeTimeout,
	},
}

// verbs are how the last part of a name begins if the tool changes something.
// Verbs that may also mean a calculation, such as add, are left out.
var verbs = []string{
	"cancel", "charge", "create", "delete", "destroy", "drop", "grant", "insert", "pay", "publish", "purge", "refund",
	"remove", "rename", "revoke", "send", "transfer", "update", "write",
}

func judgeVerb(s *subject, report reportFunc) {
	if s.writes() {
		return
	}
	last := s.doc.Name[strings.LastIndex(s.doc.Name, ".")+1:]
	first, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(last), "-", "_"), "_")
	if slices.Contains(verbs, first) {
		report("effect", fmt.Sprintf("the effect is read-only and the name begins with %s", first))
	}
}

// judgeHints reports side effects whose reach or undo is undeclared, so that
// hints follow from the worst case. A write without any side effects is
// reported by sideEffects.missing.
func judgeHints(s *subject, report reportFunc) {
	for i, e := range s.doc.SideEffects {
		clause := fmt.Sprintf("sideEffects/%d", i)
		if e.Undo == 0 {
			report(clause+"/undo", "destructiveHint is true because undo is not declared")
		}
		if e.Reach == 0 {
			report(clause+"/reach", "openWorldHint is true because reach is not declared")
		}
	}
}

func judgeExternal(s *subject, report reportFunc) {
	if s.doc.Risk.AtLeast(risk.Critical) {
		return
	}
	for i, e := range s.doc.SideEffects {
		if e.Reach == contract.External && e.Undo == contract.Irreversible {
			report(fmt.Sprintf("sideEffects/%d", i), fmt.Sprintf("the effect is external and irreversible, and the risk is %s",
				s.doc.Risk))
		}
	}
}

func judgeTrust(s *subject, report reportFunc) {
	if s.doc.ContentTrust == 0 {
		report("contentTrust", "the trust in results is not declared, so they count as prone to prompt injection")
	}
}

func judgeTrifecta(set []*subject) string {
	tools := make([]trifecta.Subject, len(set))
	for i, s := range set {
		tools[i] = trifecta.Subject{Contract: s.doc}
	}
	report := trifecta.Find(tools...)
	if len(report.Unconfirmed()) == 0 {
		return ""
	}
	return report.String()
}

func judgePermissions(s *subject, report reportFunc) {
	if len(s.doc.Permissions) == 0 && s.doc.NoPermissions == "" {
		report("permissions", "every caller may call the tool, and the contract gives no reason")
	}
}

func judgeWaived(s *subject, report reportFunc) {
	if s.doc.Risk.AtLeast(risk.High) && s.doc.Confirmation == contract.ConfirmationNever {
		report("confirmation", fmt.Sprintf("the risk is %s and no person is asked", s.doc.Risk))
	}
}

func judgeStepUp(s *subject, report reportFunc) {
	if s.isCritical() && s.doc.StepUp == nil {
		report("stepUp", "no step-up is declared")
	}
}

// isCritical reports whether the tool is critical, or restricted with a
// critical effect. A forbidden tool is not, because it cannot be called.
func (s *subject) isCritical() bool {
	return s.doc.Risk == risk.Critical || s.doc.Risk == risk.Restricted && s.doc.Effect.Floor() == risk.Critical
}

func judgeSideEffects(s *subject, report reportFunc) {
	if s.writes() && len(s.doc.SideEffects) == 0 {
		report("sideEffects", fmt.Sprintf("the effect is %s and no side effect is declared", s.doc.Effect))
	}
}

func judgeOnRepeat(s *subject, report reportFunc) {
	if s.isIdempotent() {
		return
	}
	for i, e := range s.doc.SideEffects {
		if strings.TrimSpace(e.OnRepeat) == "" {
			report(fmt.Sprintf("sideEffects/%d/onRepeat", i),
				"the tool is not idempotent, and the effect of a repeated call is not described")
		}
	}
}

func judgeIdempotency(s *subject, report reportFunc) {
	if !s.isIdempotent() && s.mode() != idempotency.Keyed {
		report("idempotency", "a repeated call has its effect again")
	}
}

func judgeReconcile(s *subject, report reportFunc) {
	if s.doc.Reconcile != nil || s.mode() != idempotency.Managed || s.doc.Idempotency.Atomic {
		return
	}
	if s.writes() && !s.isForbidden() && (s.isCritical() || s.reachesOut()) {
		report("reconcile", "nobody can find out whether a call whose process ended had its effect")
	}
}

// mode returns what the contract declares about a repeated call.
func (s *subject) mode() idempotency.Mode {
	if s.doc.Idempotency == nil {
		return idempotency.None
	}
	return s.doc.Idempotency.Mode
}

// isIdempotent reports whether the contract declares what makes a repeated call
// harmless, for however long. The hint claims less.
func (s *subject) isIdempotent() bool {
	m := s.mode()
	return !s.writes() || m == idempotency.Native || m == idempotency.Managed ||
		m == idempotency.Keyed && s.doc.Idempotency.KeyRequired
}

func (s *subject) hasDryRun() bool {
	return s.doc.DryRun == dryrun.Supported || s.doc.DryRun == dryrun.Required
}

func judgeBulk(s *subject, report reportFunc) {
	if !s.isCritical() || s.hasDryRun() {
		return
	}
	for _, m := range s.input {
		if m.isList() {
			report(m.path, "the tool is critical, takes a list and has no dry run")
		}
	}
}

func judgeDryRun(s *subject, report reportFunc) {
	if s.isCritical() && !s.hasDryRun() {
		report("dryRun", "the tool is critical and has no dry run")
	}
}

func judgeFailures(s *subject, report reportFunc) {
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
		report("failureModes", "the tool declares the generic failures only")
	} else {
		report("failureModes", "the tool declares no failure of its own")
	}
}

func judgeTimeout(s *subject, report reportFunc) {
	if s.reachesOut() && s.doc.Timeout == 0 {
		report("timeoutMs", "a call may change something outside the system and has no timeout")
	}
}
