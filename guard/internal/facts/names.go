package facts

// The clauses that can be audited without being enforced, as they are named in
// the document.
const (
	ClauseConfirmation = "confirmation"
	ClauseDryRun       = "dryRun"
	ClauseObject       = "objectAuthorization"
	ClausePermissions  = "permissions"
	ClauseRateLimit    = "rateLimit"
	ClauseStepUp       = "stepUp"
)

// AuditableClauses returns, sorted, the clauses that can be audited without
// being enforced.
func AuditableClauses() []string {
	return []string{ClauseConfirmation, ClauseDryRun, ClauseObject, ClausePermissions, ClauseRateLimit, ClauseStepUp}
}

// The names of the stages in the audit log.
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
	StageSession      = "session"
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

// The names of actions outside the pipeline. An audit event has them in the
// same place.
const (
	StageResolveUnknown = "resolveunknown" // of an operator
	StageDecide         = "decide"         // of a person
	StageCompleteStepUp = "completestepup" // of a person
)

// The codes that appear only in the audit log, because the protocol has its own
// answers to these calls.
const (
	CodeUnknownTool   = "unknown_tool"   // the name does not exist for the caller
	CodeRejectedState = "rejected_state" // exchange.ErrRejectedState
	CodeProtocolError = "protocol_error" // the handler ended the call with a JSON-RPC error
	CodeUnparsable    = "unparsable"     // the transport could not read the parameters
	CodeCancelled     = "cancelled"      // contract.StatusCancelled, which has no code of its own
)
