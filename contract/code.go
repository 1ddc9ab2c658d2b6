package contract

import (
	"slices"
	"sync"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

// The guard's codes. A tool may declare one of them as a failure of its own,
// with the same class.
const (
	// CodeInvalidInput: the arguments violate the input schema.
	CodeInvalidInput = "invalid_input"
	// CodeUnauthenticated: the caller is anonymous, or its credentials are not
	// valid.
	CodeUnauthenticated = "unauthenticated"
	// CodePermissionDenied: the principal lacks a permission, or the
	// authorizer refused the call.
	CodePermissionDenied = "permission_denied"
	// CodePolicyViolation: the call violates a policy; for handlers.
	CodePolicyViolation = "policy_violation"
	// CodeRateLimitExceeded: too many calls; carries a delay.
	CodeRateLimitExceeded = "rate_limit_exceeded"
	// CodeDryRunRequired: a dry run must come first.
	CodeDryRunRequired = "dry_run_required"
	// CodeConfirmationRequired: a person has to confirm and cannot be asked.
	CodeConfirmationRequired = "confirmation_required"
	// CodeConfirmationPending: a person has been asked elsewhere; carries a
	// delay.
	CodeConfirmationPending = "confirmation_pending"
	// CodeConfirmationDeclined: a person declined, or did not answer.
	CodeConfirmationDeclined = "confirmation_declined"
	// CodeStepUpRequired: the authentication is too old or too weak.
	CodeStepUpRequired = "step_up_required"
	// CodeKeyInProgress: the same call is running; carries a delay.
	CodeKeyInProgress = "idempotency_key_in_progress"
	// CodeKeyConflict: the key was used with other arguments, and that call did
	// not fail; see [Idempotency].
	CodeKeyConflict = "idempotency_key_conflict"
	// CodeOutcomeUnknown: an earlier call may or may not have had its effect.
	// It is retryable if the tool has [Builder.Reconcile], because repeating the
	// same call asks again.
	CodeOutcomeUnknown = "outcome_unknown"
	// CodeAlreadyDone: the call was done before and its result is not
	// available.
	CodeAlreadyDone = "already_done"
	// CodeOutputInvalid: the handler's result violates the output schema.
	CodeOutputInvalid = "output_invalid"
	// CodeResultTooLarge: the handler's result is larger than maxResultBytes.
	// It is retryable for a read, because its caller can ask for less.
	CodeResultTooLarge = "result_too_large"
	// CodeTimeout: the handler did not finish in time.
	CodeTimeout = "timeout"
	// CodeUnavailable: something that the guard needs is unavailable; carries a
	// delay.
	CodeUnavailable = "unavailable"
	// CodeRetryBudgetExhausted: the same call failed too often. It is
	// retryable, with a delay, if the tool is read-only.
	CodeRetryBudgetExhausted = "retry_budget_exhausted"
	// CodeToolRetry: an undeclared error of a tool whose other errors are
	// retryable, see [Builder.OtherErrors], or an error result of a wrapped
	// tool.
	CodeToolRetry = "tool_retry"
	// CodeToolFatal: an undeclared error of a tool whose other errors are
	// fatal.
	CodeToolFatal = "tool_fatal"
	// CodeInternalError: the handler failed with an undeclared error.
	CodeInternalError = "internal_error"
)

// A reservedCode is one row of the table that completes every document's
// failure modes: the code, its class, and the contracts whose calls can fail
// with it.
type reservedCode struct {
	code        string
	class       Class // undeclared if it follows from the contract: see dependentClass
	description string
	applies     func(Document) bool // nil: only the tool itself may declare it
	common      bool                // every tool has it, and applies is nil
}

// afterStart reports whether a call can fail with one of the guard's codes
// after its handler started, so that a write may have had its effect.
func afterStart(code string) bool {
	switch code {
	case CodeOutputInvalid, CodeResultTooLarge, CodeTimeout, CodeInternalError:
		return true
	}
	return false
}

// hasEveryTool reports whether a code is one of the guard's that every tool
// has.
func hasEveryTool(code string) bool {
	return slices.ContainsFunc(reservedCodes(), func(r reservedCode) bool { return r.code == code && r.common })
}

// reservedCodes lists every reserved code in the order of the document.
var reservedCodes = sync.OnceValue(func() []reservedCode {
	asks := Document.asks
	deduplicated := Document.isDeduplicated
	// the answer to a question is the key of its call
	recorded := func(d Document) bool { return deduplicated(d) || asks(d) || d.StepUp != nil }
	return []reservedCode{
		{CodeInvalidInput, ClassRetryable, "The arguments break the input schema.", nil, true},
		{CodeUnauthenticated, ClassFatal, "The caller is anonymous or its credentials are not valid.", nil, true},
		{CodePermissionDenied, ClassFatal, "The caller lacks a permission, or a policy of the server denies the call.", nil, true},
		{CodePolicyViolation, ClassFatal, "", nil, false},
		{CodeRateLimitExceeded, ClassRetryable, "Too many calls; try again after the delay.", nil, true},
		{CodeDryRunRequired, ClassRetryable, "Run the same call with dryRun first.",
			func(d Document) bool { return d.DryRun == dryrun.Required }, false},
		{CodeConfirmationRequired, ClassFatal, "A person must confirm the call and this client cannot ask one.", asks, false},
		{CodeConfirmationPending, ClassRetryable, "A person has been asked elsewhere; try again after the delay.", asks, false},
		{CodeConfirmationDeclined, ClassRetryable, "The person asked did not agree. Do not repeat the call; ask what to do instead.",
			asks, false},
		{CodeStepUpRequired, ClassFatal, "The caller must authenticate again, more recently or more strongly.",
			func(d Document) bool { return d.StepUp != nil }, false},
		{CodeKeyInProgress, ClassRetryable, "The same call is still running; try again after the delay.", recorded, false},
		{CodeKeyConflict, ClassRetryable, "The idempotency key was used with other arguments.", deduplicated, false},
		{CodeOutcomeUnknown, 0, "An earlier call may or may not have had its effect.",
			func(d Document) bool { return recorded(d) && d.Reconcile == nil }, false},
		{CodeOutcomeUnknown, 0, "An earlier call may or may not have had its effect; repeat the same call after the delay to find out.",
			func(d Document) bool { return d.Reconcile != nil }, false},
		{CodeAlreadyDone, ClassFatal, "The call was done before; its result is not available.", recorded, false},
		{CodeOutputInvalid, ClassFatal, "The tool's result breaks its output schema.", nil, true},
		{CodeResultTooLarge, 0, "The tool's result is larger than maxResultBytes.", nil, true},
		{CodeTimeout, 0, "The tool did not end in time.", func(d Document) bool {
			return d.Timeout > 0 ||
				d.Effect != risk.ReadOnly || d.hasDryRun()
		}, false},
		{CodeUnavailable, ClassRetryable, "Something the server needs is not there now; try again after the delay.", nil, true},
		{CodeRetryBudgetExhausted, 0, "The same call failed too often.", nil, true},
		{CodeToolRetry, ClassRetryable, "", nil, false},
		{CodeToolFatal, ClassFatal, "", nil, false},
		{CodeInternalError, ClassFatal, "The tool failed in a way that it does not declare.", nil, true},
	}
})

// timeoutClass returns the class of a timeout: retryable only if a second
// effect is impossible or harmless.
func (d Document) timeoutClass() Class {
	if d.Effect == risk.ReadOnly || d.isIdempotent() {
		return ClassRetryable
	}
	return ClassFatal
}

// dependentClass returns the class of a reserved code whose class follows from
// the contract.
func (d Document) dependentClass(code string) Class {
	switch code {
	case CodeTimeout:
		return d.timeoutClass()
	case CodeOutcomeUnknown:
		if d.Reconcile != nil { // a repeated call finds out
			return ClassRetryable
		}
		return ClassFatal
	}
	if d.Effect == risk.ReadOnly { // result_too_large and retry_budget_exhausted
		return ClassRetryable
	}
	return ClassFatal
}

// reservedClass returns the class of a reserved code for this contract.
func (d Document) reservedClass(code string) (Class, bool) {
	for _, r := range reservedCodes() {
		if r.code == code {
			if r.class == 0 {
				return d.dependentClass(code), true
			}
			return r.class, true
		}
	}
	return 0, false
}

// guardFailures returns the guard's failures for this contract, without the
// codes that the tool declares itself.
func (d Document) guardFailures(declared map[string]bool) []FailureMode {
	var modes []FailureMode
	for _, r := range reservedCodes() {
		if !r.common && (r.applies == nil || !r.applies(d)) || declared[r.code] {
			continue
		}
		class, _ := d.reservedClass(r.code)
		modes = append(modes, FailureMode{
			Code: r.code, Class: class, Description: r.description, By: ByGuard,
			EffectPossible: afterStart(r.code) && d.Effect != risk.ReadOnly && !d.isAtomic(),
		})
	}
	return modes
}
