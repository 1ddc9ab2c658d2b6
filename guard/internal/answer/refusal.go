package answer

import (
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// The delays after which a refused caller may try again.
const (
	// Soon is for a missing resource that may be back soon.
	Soon = time.Second
	// Person is for a call about which a person is deciding.
	Person = 5 * time.Second
)

// A Refusal ends a call. The zero Refusal is not valid: Code is required.
type Refusal struct {
	// Code is one of the codes of the contract's failure modes.
	Code string
	// Message is the text for the caller. Empty means the contract's
	// description of the code. It never contains a caller's value.
	Message string
	// Lines are added to the text.
	Lines []string
	// RetryAfter is the delay after which the caller may try again. Zero: none.
	RetryAfter time.Duration
	// URL is the address at which a person decides. Empty: none.
	URL string
	// Hint is the advice for the caller.
	Hint string
	// StepUp is the part of the contract's demand that the caller's
	// authentication does not meet.
	StepUp *contract.StepUp
	// MissingPermissions are the permissions that the caller lacks.
	MissingPermissions []string
	// Violations are the ways in which the arguments break the input schema.
	Violations []contract.Violation
	// Failure is the declared failure of a dry run that the tool author's
	// function returned before the call. The caller gets it like a failure of
	// the handler. Nil: none.
	Failure *contract.Error
	// Cause is the reason, for the audit log. Unless it is nil, it replaces
	// what was noted before. The caller never gets it.
	Cause error
	// UnlessRepeated lets the pipeline replay the recorded outcome of an
	// earlier identical call instead, or report that it is running, because
	// neither needs the missing resource.
	UnlessRepeated bool
}

// NewRefusal returns a refusal with one of the guard's own codes.
func NewRefusal(code, message string) *Refusal { return &Refusal{Code: code, Message: message} }

// Later returns a refusal with a delay after which to try again.
func Later(code, message string, after time.Duration) *Refusal {
	return &Refusal{Code: code, Message: message, RetryAfter: after}
}

// Unavailable returns a refusal for a resource that may be available again
// soon.
func Unavailable(message string) *Refusal {
	return Later(contract.CodeUnavailable, message, Soon)
}

// Closing returns the refusal of a server that is closing.
func Closing() *Refusal { return Unavailable("the server is closing") }

// Violated returns the refusal invalid_input with these violations.
func Violated(violations ...contract.Violation) *Refusal {
	return &Refusal{Code: contract.CodeInvalidInput, Violations: violations}
}

// Because sets the cause for the audit log.
func (r *Refusal) Because(err error) *Refusal {
	r.Cause = err
	return r
}

// OrReplay sets [Refusal.UnlessRepeated].
func (r *Refusal) OrReplay() *Refusal {
	r.UnlessRepeated = true
	return r
}

// TryAgain tells the caller in words when to try again.
func TryAgain(after time.Duration) string {
	return fmt.Sprintf("Try again in %s.", RoundedUp(after))
}

// RoundedUp rounds a delay for a text up: to seconds above ten seconds,
// otherwise to milliseconds.
func RoundedUp(after time.Duration) time.Duration {
	unit := time.Millisecond
	if after > 10*time.Second { // smaller parts do not matter
		unit = time.Second
	}
	if rest := after % unit; rest > 0 {
		after += unit - rest
	}
	return after
}
