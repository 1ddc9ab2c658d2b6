package facts

// The clauses that can be audited without being enforced, by their names in the
// document.
const (
	ClauseConfirmation = "confirmation"
	ClauseDryRun       = "dryRun"
	ClauseObject       = "objectAuthorization"
	ClausePermissions  = "permissions"
	ClauseRateLimit    = "rateLimit"
	ClauseStepUp       = "stepUp"
)

// AuditableClauses returns the clauses that can be left to the audit log,
// sorted.
func AuditableClauses() []string {
	return []string{ClauseConfirmation, ClauseDryRun, ClauseObject, ClausePermissions, ClauseRateLimit, ClauseStepUp}
}

// The names of the stages, as the audit log has them.
const (
	StageAudit        = "audit"
	StageComplete     = "complete"
	StageLookup       = "lookup"
	StageOpenState    = "openstate"
	StageAuthenticate = "authenticate"
	StageAdmit        = "admit"
	StageValidate     = "validate"
	StageResolve      = "resolve"
	StageAuthorize    = "authorize"
	StageBudget       = "budget"
	StagePreview      = "preview"
	StageReplay       = "replay"
	StagePrecheck     = "precheck"
	StageRequire      = "requiredryrun"
	StageConfirm      = "confirm"
	StageStepUp       = "stepup"
	StageIntent       = "intent"
	StageReserve      = "reserve"
	StageBegin        = "begin"
	StageSpend        = "spenddryrun"
	StageMark         = "mark"
	StageRun          = "run"
	StageCommit       = "commit"
	StageCheckResult  = "checkresult"
)

// The names of actions outside the pipeline, in the same place of an audit
// event.
const (
	StageResolveUnknown = "resolveunknown" // of an operator
	StageDecide         = "decide"         // of a person
	StageCompleteStepUp = "completestepup" // of a person
)

// The codes that only the audit log has, because the protocol has its own
// answers to these calls.
const (
	CodeUnknownTool   = "unknown_tool"   // the name does not exist for the caller
	CodeRejectedState = "rejected_state" // exchange.ErrRejectedState
	CodeUnparsable    = "unparsable"     // the transport could not read the parameters
	CodeCancelled     = "cancelled"      // contract.StatusCancelled, which has no code of its own
)
