package failurecheck

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/verify/failurecheck/internal/slice"
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

// An answer is the result for one tool. It is never a proof.
type answer string

const (
	// answerUnknown means that nothing contradicts the contract, but not every
	// error could be followed. It is not a pass.
	answerUnknown answer = "unknown"
	// answerConsistent means that every error found is declared, and every
	// declared failure was found.
	answerConsistent answer = "consistent"
	// answerContradicted means that there are findings.
	answerContradicted answer = "contradicted"
)

// A verdict is the answer for one tool, with its reasons.
type verdict struct {
	Tool   string
	Answer answer
	// Findings contradict the contract, leaving out those that a comment
	// allows. They are sorted by position and code.
	Findings []finding
	// Unknown has the errors that could not be followed, sorted by position.
	Unknown []place
}

// A finding is one contradiction between a handler and its contract.
type finding struct {
	// Rule is one of the rules of this package.
	Rule string
	// Tool is the verdict's tool.
	Tool string
	// Code is the failure's code. For an error that is not a failure, it is
	// internal_error, because that is the code callers get.
	Code string
	// Position is the place in the handler or, for a failure that is never
	// returned, the place where it is declared.
	Position token.Position
	// Message describes the finding, and Remedy says how to fix it.
	Message, Remedy string
}

// String returns the finding on one line, without its position.
func (f finding) String() string {
	return fmt.Sprintf("[%s] %s: failureModes: %s: %s; %s", f.Rule, f.Tool, f.Code, f.Message, f.Remedy)
}

// A place is one error that could not be followed.
type place struct {
	// Position is zero if a function's source was not found.
	Position token.Position
	// What describes the error in a few words.
	What string
}

// String returns the place on one line.
func (p place) String() string { return p.Position.String() + ": " + p.What }

// A declared contract is what a verdict compares errors with.
type declared struct {
	tool string
	// codes has the tool's declared failures, each with its position.
	codes map[string]token.Pos
	// reserved are those that need no path returning them.
	reserved    map[string]bool
	otherErrors bool
}

// judge compares the errors of a tool's functions with its contract.
func judge(d declared, errors *slice.Summary, source source) verdict {
	v := verdict{Tool: d.tool}
	add := func(pos token.Pos, f finding) {
		if !source.allows(pos) {
			f.Tool = d.tool
			f.Position = source.fset.Position(pos)
			v.Findings = append(v.Findings, f)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(errors.Failures)) {
		if _, known := d.codes[code]; !known {
			add(errors.Failures[code], finding{
				Rule: ruleUndeclared, Code: code,
				Message: "the handler can return this failure, and the tool does not declare it; callers get internal_error",
				Remedy:  "add it to Failures, or return a declared failure",
			})
		}
	}
	for _, o := range errors.Plain {
		if d.otherErrors {
			break
		}
		add(o.Pos, finding{
			Rule: ruleUndeclared, Code: contract.CodeInternalError,
			Message: "the handler can return " + o.What + ", which is no failure; callers get internal_error",
			Remedy:  "return a declared failure, with this error as its cause by Wrap, or declare OtherErrors",
		})
	}
	for _, o := range errors.Unknown {
		v.Unknown = append(v.Unknown, place{source.fset.Position(o.Pos), o.What})
	}
	for _, code := range slices.Sorted(maps.Keys(d.codes)) {
		if _, seen := errors.Failures[code]; seen || len(errors.Unknown) > 0 || d.reserved[code] {
			continue
		}
		add(d.codes[code], finding{
			Rule: ruleNeverReturned, Code: code,
			Message: "the tool declares this failure, and no path of the handler returns it",
			Remedy:  "remove it from Failures, or return it",
		})
	}
	v.conclude()
	return v
}

// conclude sorts the reasons and sets the answer.
func (v *verdict) conclude() {
	byPlace := func(a, b token.Position) int {
		return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
	}
	slices.SortFunc(v.Findings, func(a, b finding) int {
		return cmp.Or(byPlace(a.Position, b.Position), strings.Compare(a.Code, b.Code))
	})
	slices.SortFunc(v.Unknown, func(a, b place) int {
		return cmp.Or(byPlace(a.Position, b.Position), strings.Compare(a.What, b.What))
	})
	switch {
	case len(v.Findings) > 0:
		v.Answer = answerContradicted
	case len(v.Unknown) > 0:
		v.Answer = answerUnknown
	default:
		v.Answer = answerConsistent
	}
}
