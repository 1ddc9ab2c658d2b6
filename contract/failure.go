package contract

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Failure is a declared way for a tool to fail: a code, a class, and a
// description that callers read before they call. Declare each one once, as a
// package variable, and pass it to Failures. The handler returns it, or an
// [Error] made from it:
//
//	var ErrInvalidRecipient = contract.Retryable("invalid_recipient", "A recipient address cannot receive mail.")
//	...
//	return SendOutput{}, ErrInvalidRecipient.Errorf("not a mailbox").At("/to/0")
//
// The texts of a Failure and of its Errors reach the caller. Values of
// sensitive and secret arguments are removed from the texts of Errors. A
// Failure is immutable and safe for concurrent use. Build checks its code and
// description.
type Failure struct {
	code           string
	class          Class
	description    string
	effectPossible bool
}

// Retryable declares a failure that the model can correct, or retry after a
// delay. The code is lower-case words joined by underscores, unique within a
// tool.
func Retryable(code, description string) *Failure {
	return &Failure{code: code, class: ClassRetryable, description: description}
}

// Fatal declares a failure that a retry cannot fix.
func Fatal(code, description string) *Failure {
	return &Failure{code: code, class: ClassFatal, description: description}
}

// The generic failures that OtherErrors declares, and the one for a wrapped
// tool's error results that may follow an effect.
var (
	anyRetryable = Retryable(CodeToolRetry, "The call failed; use its text to correct the arguments, and try again.")
	anyReported  = Retryable(CodeToolRetry,
		"The call failed; use its text to correct the arguments. Part of it may have taken effect, so do not repeat it unchanged.").
		EffectPossible()
	anyFatal = Fatal(CodeToolFatal, "The call failed and repeating it cannot help.")
)

// EffectPossible returns a copy of f which declares that the call may have had
// an effect although it failed, so repeating it may not be safe. The text of
// such a failure mentions the effect, unless the tool is read-only. The failure
// keeps the key of a managed or keyed call; see [Idempotency].
func (f *Failure) EffectPossible() *Failure {
	c := *f
	c.effectPossible = true
	return &c
}

// Code returns the failure's code.
func (f *Failure) Code() string { return f.code }

// Class returns the failure's class.
func (f *Failure) Class() Class { return f.class }

// Description returns the text that callers read in the contract.
func (f *Failure) Description() string { return f.description }

// Error returns "code: description", so a handler can return a Failure itself.
func (f *Failure) Error() string { return f.code + ": " + f.description }

// Errorf makes an [Error] of this failure with its own text, formatted as by
// [fmt.Errorf]. A %w operand becomes the cause, for the audit log, but its text
// is also part of the message that callers see. Use Wrap to hide a cause from
// callers.
func (f *Failure) Errorf(format string, args ...any) *Error {
	e := f.occurrence()
	e.message, e.cause = formatCause(format, args)
	return e
}

// Wrap makes an [Error] of this failure with err as its cause. Callers see the
// failure's description. The text of err goes only to the audit log.
func (f *Failure) Wrap(err error) *Error { return f.occurrence().Wrap(err) }

// At makes an [Error] that points into the arguments; see [Error.At].
func (f *Failure) At(pointer string) *Error { return f.occurrence().At(pointer) }

// After makes an [Error] with a delay before the next try; see [Error.After].
func (f *Failure) After(d time.Duration) *Error { return f.occurrence().After(d) }

// Hint makes an [Error] with advice for the model; see [Error.Hint].
func (f *Failure) Hint(hint string) *Error { return f.occurrence().Hint(hint) }

// Is reports whether target is a Failure with the same code, such as the copy
// that EffectPossible returns.
func (f *Failure) Is(target error) bool {
	t, ok := target.(*Failure)
	return ok && f != nil && t != nil && t.code == f.code
}

// As sets target, a **[Error], to an occurrence of f. With it, [errors.As]
// finds a handler's failure whether the handler returned a Failure or an Error.
func (f *Failure) As(target any) bool {
	e, ok := target.(**Error)
	if !ok || f == nil {
		return false
	}
	*e = f.occurrence()
	return true
}

func (f *Failure) occurrence() *Error {
	if f == nil {
		return nil
	}
	return &Error{code: f.code, message: f.description}
}

func (f *Failure) mode() FailureMode {
	return FailureMode{Code: f.code, Class: f.class, Description: f.description, By: ByTool, EffectPossible: f.effectPossible}
}

// An Error is one occurrence of a declared [Failure], which decides its class.
// An Error with a code that the tool does not declare reaches the caller as
// internal_error, without its text.
//
// The methods return changed copies, so an Error may be shared. If a handler
// returns a nil *Error, the call succeeded.
type Error struct {
	code    string
	message string
	cause   error
	pointer string
	after   time.Duration
	hint    string
}

// Fail returns an [Error] for the failure that the tool declares under code, by
// [Builder.Failures] or a [FailureTag]. Its class is the declared one. text is
// a format and its operands, as for [Failure.Errorf]; without it, callers see
// the declared description.
//
//	return FileOut{}, contract.Fail("already_exists").At("/path")
//
// A code that the tool does not declare reaches the caller as internal_error,
// and the operator's log names it. Package verify/failurecheck finds such codes
// in tests.
func Fail(code string, text ...any) *Error {
	e := &Error{code: code}
	if len(text) == 0 {
		return e
	}
	format, ok := text[0].(string)
	if !ok {
		format = "%v"
		text = slices.Insert(text, 0, any(format))
	}
	e.message, e.cause = formatCause(format, text[1:])
	return e
}

func formatCause(format string, args []any) (message string, cause error) {
	err := fmt.Errorf(format, args...)
	switch w := err.(type) { //nolint:errorlint // only the operands of this very format are wanted
	case interface{ Unwrap() error }:
		cause = w.Unwrap()
	case interface{ Unwrap() []error }:
		cause = errors.Join(w.Unwrap()...)
	}
	return err.Error(), cause
}

// Code returns the code of the failure.
func (e *Error) Code() string { return e.code }

// Message returns the text that callers see after the code. If it is empty,
// they see the description of the declared failure.
func (e *Error) Message() string { return e.message }

// Pointer returns the RFC 6901 JSON Pointer to the argument that caused the
// failure, or "" if none was set.
func (e *Error) Pointer() string { return e.pointer }

// RetryAfter returns the delay before the next try, or zero if none was set.
func (e *Error) RetryAfter() time.Duration { return e.after }

// Advice returns the hint for the model, or "" if none was set.
func (e *Error) Advice() string { return e.hint }

// Error returns "code: message", or the code if there is no message.
func (e *Error) Error() string {
	if e == nil {
		return "<nil>"
	}
	if e.message == "" {
		return e.code
	}
	return e.code + ": " + e.message
}

// Is reports whether target is the [Failure] of e. Failures with equal codes
// are the same.
func (e *Error) Is(target error) bool {
	f, ok := target.(*Failure)
	return ok && e != nil && f != nil && f.code == e.code
}

// Unwrap returns the cause, or nil.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.cause
}

// Wrap returns a copy of e with err as its cause. The text of err goes only to
// the audit log.
func (e *Error) Wrap(err error) *Error {
	c := *e
	c.cause = err
	return &c
}

// At returns a copy of e that points into the arguments, by an RFC 6901 JSON
// Pointer such as "/to/0".
func (e *Error) At(pointer string) *Error {
	c := *e
	c.pointer = pointer
	return &c
}

// After returns a copy of e that asks the caller to try again after d, rounded
// up to whole milliseconds. Zero or less means no delay.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.after = max(0, d)
	return &c
}

// Hint returns a copy of e with advice for the model.
func (e *Error) Hint(hint string) *Error {
	c := *e
	c.hint = hint
	return &c
}

// isSuccess reports whether a handler's error means success: nil, or a typed
// nil [*Error] or [*Failure], which a helper returning that type produces if
// nothing went wrong.
func isSuccess(err error) bool {
	switch e := err.(type) { //nolint:errorlint // a wrapped nil is not a handler's success
	case nil:
		return true
	case *Error:
		return e == nil
	case *Failure:
		return e == nil
	}
	return false
}
