package rules

import (
	"errors"
	"fmt"
	"time"
)

// An Error reports that an implementation violates a rule.
type Error struct {
	// Suite is the name of the suite's package, such as "storetest".
	Suite string
	// Rule is the name of the rule.
	Rule string
	// Message says what the implementation does wrong.
	Message string
}

// Error returns "SUITE: RULE: MESSAGE".
func (e *Error) Error() string { return e.Suite + ": " + e.Rule + ": " + e.Message }

// Broken returns an [*Error] with a message. The suite fills in the rest.
func Broken(format string, args ...any) error {
	return &Error{Message: fmt.Sprintf(format, args...)}
}

// Errors returns every [*Error] in a joined error, in order.
func Errors(err error) []*Error {
	var all []*Error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, Errors(e)...)
		}
		return all
	}
	if e, ok := errors.AsType[*Error](err); ok {
		all = append(all, e)
	}
	return all
}

// Within calls f on its own goroutine and waits for at most d. If f panics,
// ends its goroutine or takes longer, violation is an [*Error] that names the
// call by what(). Otherwise result is what f returned.
func Within(d time.Duration, what func() string, f func() error) (result, violation error) {
	type end struct{ result, violation error }
	done := make(chan end, 1)
	go func() {
		var e end
		returned := false
		defer func() {
			if value := recover(); value != nil {
				e.violation = Broken("%s panicked: %v", what(), value)
			} else if !returned {
				e.violation = Broken("%s ended its goroutine", what())
			}
			done <- e
		}()
		e.result = f()
		returned = true
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case e := <-done:
		return e.result, e.violation
	case <-timer.C:
		return nil, Broken("%s did not return within %v", what(), d)
	}
}
