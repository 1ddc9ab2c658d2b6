package contract

import (
	"time"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A FailureMode is one entry of the complete list of a tool's failures.
type FailureMode struct {
	// Code, Class and Description are those of the failure.
	Code        string `json:"code"`
	Class       Class  `json:"class"`
	Description string `json:"description,omitempty"`
	// By names the source of the failure: the tool's handler or the guard.
	By By `json:"by"`
	// EffectPossible is true if the call may have had an effect although it
	// failed. Of the guard's failures it is true for those of a write that can
	// happen after its handler began.
	EffectPossible bool `json:"effectPossible,omitempty"`
}

// A Deprecation announces that a tool should no longer be used.
type Deprecation struct {
	// Since is the contract's version that deprecated it.
	Since string `json:"since"`
	// ReplacedBy is the name of the tool to use instead, if there is one.
	ReplacedBy string `json:"replacedBy,omitempty"`
	// Note is for people and models.
	Note string `json:"note,omitempty"`
}

// A StepUp demands a recent or strong authentication of every caller.
type StepUp struct {
	// When describes for people when the demand applies. It is not a condition:
	// the demand applies to every call.
	When string `json:"when,omitempty"`
	// MaxAge bounds the age of the authentication, in whole seconds. Zero: no
	// bound.
	MaxAge time.Duration `json:"maxAgeSeconds,omitempty"`
	// ACR is the authentication context class that is needed (OpenID Connect
	// Core 1.0 §2): printable ASCII without blanks, quotes and backslashes, as
	// a challenge takes it (acr_values of RFC 9470 §3, in a quoted-string of
	// RFC 9110 §5.6.4). Empty: any.
	ACR string `json:"acr,omitempty"`
}

// A Least is the weakest contract that any call of a tool can have, whatever
// [Builder.Resolve] returns. A zero field means "as declared": no call lowers
// it. The zero Least therefore lets no resolution change anything.
type Least struct {
	// Effect, Risk and Confirmation are the least that a call has. Each may be
	// that of another call.
	Effect       risk.Effect  `json:"effect,omitzero"`
	Risk         risk.Level   `json:"risk,omitzero"`
	Confirmation Confirmation `json:"confirmation,omitzero"`
	// Permissions are those that every call needs, some of the declared ones.
	// Nil: all of them. A list without entries means that some calls need none.
	Permissions []string `json:"permissions,omitzero"`
}

// A SideEffect is one change of state outside a tool's return value.
type SideEffect struct {
	// Description is the change in words for people and models. Required.
	Description string `json:"description"`
	// Reach declares whether the change leaves the system. Undeclared counts as
	// [External].
	Reach Reach `json:"reach,omitzero"`
	// Undo declares whether the change can be undone. Undeclared counts as
	// [Irreversible].
	Undo Undo `json:"undo,omitzero"`
	// OnRepeat describes the effect of a second call with the same arguments.
	OnRepeat string `json:"onRepeat,omitempty"`
	// Affects names the people or things that the change affects.
	Affects string `json:"affects,omitempty"`
}

// An Idempotency declares what a repeated call does.
//
// A managed or keyed call is repeated if it has the key and the arguments of an
// earlier one. A success and a declared fatal failure are replayed. A declared
// retryable failure without [Failure.EffectPossible] releases the key. If a
// call ended in any other way, its outcome is unknown, and OnUnknown decides
// whether the repeated call runs.
//
// A failed call does not hold its key: a corrected call, with other arguments
// and the same key, runs. A call counts as failed if its handler returned a
// declared failure without EffectPossible, an error that OtherErrors returns,
// or the error result of a wrapped tool. If the earlier call ended in any other
// way, such as a success, a panic or a timeout, a call with other arguments
// gets [CodeKeyConflict]. With [Builder.Reconcile] only a declared failure
// without EffectPossible counts as failed, because the key has to stay with the
// call that the system is asked about.
type Idempotency struct {
	// Mode is native if the handler deduplicates, managed if the guard
	// deduplicates all calls, and keyed if the guard deduplicates only the
	// calls with a key of the client.
	Mode idempotency.Mode `json:"mode"`
	// KeyFields are the input fields that identify a managed call. A keyed
	// call has none.
	KeyFields []string `json:"keyFields,omitempty"`
	// ClientKey lets the client send the key of a managed call; see
	// [MetaKeyIdempotencyKey]. Without a key of the client and without
	// KeyFields all arguments are the key, except members that equal their
	// default. Build sets it for mode keyed.
	ClientKey bool `json:"clientKey,omitempty"`
	// KeyRequired refuses a call without a client key as invalid input, so that
	// all arguments are never the key. It is for managed tools without KeyFields
	// and for keyed tools, and sets ClientKey.
	KeyRequired bool `json:"keyRequired,omitempty"`
	// Retention is how long a managed or keyed outcome is kept, in whole
	// seconds. Zero becomes 24 hours.
	Retention time.Duration `json:"retentionSeconds,omitempty"`
	// ArgumentsRetention is how long a known outcome of a managed call is kept
	// if all arguments are the key, in whole seconds. Such a key is a guess,
	// because an equal call may be meant as a second one. An unknown outcome is
	// kept for the Retention, which is not shorter. Zero becomes the declared
	// Retention, else 15 minutes. It stays zero for a tool with key fields.
	ArgumentsRetention time.Duration `json:"argumentsRetentionSeconds,omitempty"`
	// OnUnknown decides whether a managed or keyed call runs if the outcome of
	// an earlier equal call is unknown. Undeclared becomes refuse.
	OnUnknown idempotency.OnUnknown `json:"onUnknown,omitzero"`
	// Atomic declares that everything which a managed call changes is written
	// in one transaction of the store, as by sqlstore.Tx. The guard commits it
	// together with the record of a success, and undoes it after every other
	// end. So a call that did not succeed had no effect, and a repeated one
	// runs or is replayed, also after a crash: its outcome is never unknown.
	Atomic bool `json:"atomic,omitempty"`
}

// A Reconciling declares what the system behind [Builder.Reconcile] promises.
type Reconciling struct {
	// Quiet is how long after the end of a call's lease its effect may still
	// reach the system, or become visible there. It is in whole seconds, and
	// shorter than Retention. Once it has passed, a call that did not happen
	// runs, if its risk is below high. No Quiet covers a process that is stopped
	// and goes on later, as with SIGSTOP or a suspended machine. Zero: such a
	// call does not run, unless OnUnknown declares a rerun.
	Quiet time.Duration `json:"quietSeconds,omitempty"`
}

// A RateLimit bounds how often a tool is called. It is a token bucket: it
// allows Calls at once and refills evenly, by Calls in each Per. Over a long
// time it allows Calls in each Per. A single window of Per can contain up to
// twice as many, if a full bucket is emptied and every refilled call is made.
type RateLimit struct {
	// Calls is the number of calls that are allowed at once, and refilled in
	// each Per.
	Calls int `json:"calls"`
	// Per is the time in which Calls are refilled evenly, in whole seconds.
	Per time.Duration `json:"perSeconds"`
}

// A RetryBudget bounds how often one principal may fail with the same tool,
// arguments and code. The window begins with the first of these failures, and a
// success resets the count. If the budget is used up, the same call answers
// retry_budget_exhausted and does not run:
//
//   - A tool with an effect is refused until the window is over. The answer is
//     fatal, and its text has the remaining time.
//   - A read-only tool is refused for a pause of Window divided by
//     Failures, or until the window is over, if that is sooner. Then the call
//     runs again, because a file that was missing, for example, may exist by
//     then. Each further failure begins another pause. The answer during a
//     pause is retryable, and its delay is the rest of the pause.
//
// Equal calls that run one after the other therefore fail with one code at most
// Failures times in a window. Those of a read-only tool fail at most twice as
// often.
type RetryBudget struct {
	// Failures is the number of failures with one code that use up the budget.
	Failures int `json:"failures"`
	// Window is the time in which failures are counted, in whole seconds.
	Window time.Duration `json:"windowSeconds"`
}
