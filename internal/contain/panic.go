package contain

import (
	"fmt"
	"runtime"
	"strings"
)

// maxFrames limits the stack of a [PanicError].
const maxFrames = 64

// A PanicError is the error of a contained panic.
type PanicError struct {
	// Value is the value of the panic.
	Value any
	// Stack lists the functions that led to the panic, innermost first, with
	// files and lines. It is at most 64 functions deep and leaves out
	// arguments, which may be secrets.
	Stack string
}

// Error returns the value of the panic as text, without the stack.
func (e *PanicError) Error() (text string) {
	defer func() {
		if recover() != nil { // fmt contains only the first panic of a value's method
			text = fmt.Sprintf("panic: a value of type %T", e.Value)
		}
	}()
	return fmt.Sprintf("panic: %v", e.Value)
}

// Hidden returns an error that shows only the type of the value, because the
// value may hold a secret. Runtime errors keep their text.
func (e *PanicError) Hidden() *PanicError {
	if _, ofGo := e.Value.(runtime.Error); ofGo {
		return e
	}
	return &PanicError{fmt.Sprintf("a value of type %T", e.Value), e.Stack}
}

// Recover sets *err to a [PanicError] if the surrounding function panics. It
// works only as a deferred call: defer contain.Recover(&err).
func Recover(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{v, stack()}
	}
}

// stack returns the stack of the panic being recovered by the caller's caller.
func stack() string {
	pcs := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	var b strings.Builder
	panicked := false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if panicked || f.Function == "runtime.gopanic" {
			panicked = true
			fmt.Fprintf(&b, "%s\n\t%s:%d\n", f.Function, f.File, f.Line)
		}
	}
	return b.String()
}
