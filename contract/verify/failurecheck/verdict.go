package failurecheck

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/verify/failurecheck/internal/slice"
)

// The rules of findings.
const (
	// ruleUndeclared is broken by an error that a handler can return and that
	// its tool does not declare. Callers get internal_error.
	ruleUndeclared = "failure.undeclared"
	// ruleNeverReturned is broken by a declared failure that no path of the
	// handler returns.
	ruleNeverReturned = "failure.neverReturned"
)

// An Answer is the result for one tool. It is never a proof. The zero value is
// unknown.
type answer uint8

const (
	// Unknown means that the check did not contradict the contract, but could
	// not follow every error. It is not a pass.
	unknown answer = iota
	// Consistent means that every error that was found is declared, and that
	// every declared failure was found.
	consistent
	// Contradicted means that there are findings.
	contradicted
)

// String returns the answer in lower case.
func (a answer) String() string {
	switch a {
	case unknown:
		return "unknown"
	case consistent:
		return "consistent"
	case contradicted:
		return "contradicted"
	}
	return fmt.Sprintf("answer(%d)", uint8(a))
}

// A verdict is the answer for one tool, with its reasons.
type verdict struct {
	// Tool is the name of the tool. It is empty if the source does not show it.
	Tool string
	// Handler is the name of the handler. It is empty if it was not found.
	Handler string
	// Answer follows from the other fields.
	Answer answer
	// Findings contradict the contract. They are sorted by place and code.
	Findings []finding
	// Unknown are the errors that could not be followed, sorted by place.
	Unknown []place
	// Allowed are the findings that a comment allows.
	Allowed []finding
}

// A finding is one contradiction between a handler and its contract.
type finding struct {
	// Rule is one of the rules of this package.
	Rule string
	// Tool is that of the verdict.
	Tool string
	// Code is the code of the failure. It is internal_error for an error that
	// is no failure, because that is the code that callers get.
	Code string
	// Position is the place in the handler, or for a failure that is never
	// returned the place of its declaration.
	Position token.Position
	// Message describes the finding, and Remedy the change that ends it.
	Message, Remedy string

	pos token.Pos
}

// String returns the finding in one line without its position.
func (f finding) String() string {
	tool := f.Tool
	if tool == "" {
		tool = "a tool"
	}
	return fmt.Sprintf("[%s] %s: failureModes: %s: %s; %s", f.Rule, tool, f.Code, f.Message, f.Remedy)
}

// A place is one error that could not be followed.
type place struct {
	// Position is zero if the source of a function was not found.
	Position token.Position
	// What describes the error in a few words.
	What string
}

// String returns the place in one line.
func (p place) String() string { return p.Position.String() + ": " + p.What }

// A declared contract is what a verdict compares the errors with.
type declared struct {
	tool string
	// codes are the declared failures of the tool, with the place of each.
	codes       map[string]token.Pos
	otherErrors bool
	// complete means that no other failure can be declared.
	complete bool
}

// genericCodes are declared by OtherErrors. Any error can have them.
var genericCodes = []string{"tool_retry", "tool_fatal"}

// guardCodes are codes with which the guard can answer too, so a tool may
// declare them without a path that returns them.
func guardCode(code string) bool {
	switch code {
	case "invalid_input", "unauthenticated", "permission_denied", "policy_violation", "rate_limit_exceeded", "dry_run_required",
		"confirmation_required", "confirmation_pending", "confirmation_declined", "step_up_required", "idempotency_key_in_progress",
		"idempotency_key_conflict", "outcome_unknown", "already_done", "output_invalid", "result_too_large", "timeout", "unavailable",
		"retry_budget_exhausted", "internal_error":
		return true
	}
	return slices.Contains(genericCodes, code)
}

// judge compares the errors of a tool's functions with its contract.
func judge(d declared, errors *slice.Summary, source source) verdict {
	v := verdict{Tool: d.tool}
	add := func(f finding) {
		f.Tool, f.Position = d.tool, source.fset.Position(f.pos)
		if source.allows(f.pos) {
			v.Allowed = append(v.Allowed, f)
			return
		}
		v.Findings = append(v.Findings, f)
	}
	for _, code := range slices.Sorted(maps.Keys(errors.Failures)) {
		_, known := d.codes[code]
		switch {
		case known:
		case !d.complete:
			v.Unknown = append(v.Unknown, place{source.fset.Position(errors.Failures[code]),
				"the failure " + code + ", which may be declared elsewhere"})
		default:
			add(finding{
				Rule: ruleUndeclared, Code: code, pos: errors.Failures[code],
				Message: "the handler can return this failure, and the tool does not declare it; callers get internal_error",
				Remedy:  "add it to Failures, or return a declared failure",
			})
		}
	}
	for _, o := range errors.Plain {
		if d.otherErrors {
			break
		}
		if !d.complete {
			v.Unknown = append(v.Unknown, place{source.fset.Position(o.Pos), o.What + ", which OtherErrors may declare elsewhere"})
			continue
		}
		add(finding{
			Rule: ruleUndeclared, Code: "internal_error", pos: o.Pos,
			Message: "the handler can return " + o.What + ", which is no failure; callers get internal_error",
			Remedy:  "return a declared failure, with this error as its cause by Wrap, or declare OtherErrors",
		})
	}
	for _, o := range errors.Unknown {
		v.Unknown = append(v.Unknown, place{source.fset.Position(o.Pos), o.What})
	}
	for _, code := range slices.Sorted(maps.Keys(d.codes)) {
		if _, seen := errors.Failures[code]; seen || len(errors.Unknown) > 0 || guardCode(code) {
			continue
		}
		add(finding{
			Rule: ruleNeverReturned, Code: code, pos: d.codes[code],
			Message: "the tool declares this failure, and no path of the handler returns it",
			Remedy:  "remove it from Failures, or return it",
		})
	}
	sortPlaces(&v)
	switch {
	case len(v.Findings) > 0:
		v.Answer = contradicted
	case len(v.Unknown) == 0:
		v.Answer = consistent
	}
	return v
}

func sortPlaces(v *verdict) {
	byPlace := func(a, b token.Position) int {
		return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
	}
	findings := func(a, b finding) int {
		return cmp.Or(byPlace(a.Position, b.Position), strings.Compare(a.Code, b.Code))
	}
	slices.SortFunc(v.Findings, findings)
	slices.SortFunc(v.Allowed, findings)
	slices.SortFunc(v.Unknown, func(a, b place) int {
		return cmp.Or(byPlace(a.Position, b.Position), strings.Compare(a.What, b.What))
	})
}
