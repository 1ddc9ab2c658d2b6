package storetest

import (
	"errors"
	"fmt"
)

// ErrRule matches, with [errors.Is], every [RuleError].
var ErrRule = errors.New("storetest: the store breaks a rule")

// A RuleError says which rule a store broke, and how.
type RuleError struct {
	// Rule is the name of the rule, one of those of [StoreRules], [NoncesRules] or [CounterRules].
	Rule string
	// Message says what the store did.
	Message string
}

// Error returns "storetest: RULE: MESSAGE".
func (v *RuleError) Error() string { return "storetest: " + v.Rule + ": " + v.Message }

// Is reports whether target is [ErrRule].
func (v *RuleError) Is(target error) bool { return target == ErrRule }

// RuleErrors returns every [RuleError] in the error of [CheckStore], [CheckNonces] or [CheckCounter], in the
// order of the rules.
func RuleErrors(err error) []*RuleError {
	var all []*RuleError
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			all = append(all, RuleErrors(e)...)
		}
		return all
	}
	if v, ok := errors.AsType[*RuleError](err); ok {
		all = append(all, v)
	}
	return all
}

func broken(format string, args ...any) *RuleError {
	return &RuleError{Message: fmt.Sprintf(format, args...)}
}
