package contract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	declaredFailures    declaration[[]*Failure] = "failures"
	declaredOtherErrors declaration[Class]      = "otherErrors"
)

const (
	ruleFailureNil         = "failure.nil"
	ruleFailureCode        = "failure.code"
	ruleFailureClass       = "failure.class"
	ruleFailureDescription = "failure.description"
	ruleFailureDuplicate   = "failure.duplicate"
	ruleFailureReserved    = "failure.reserved"
	ruleFailureRerun       = "failure.rerun"
)

func failuresClause() clause {
	return clause{
		members: []string{"failureModes"}, // declared by verbs and by fields of type FailureTag
		keys:    tagKeys{"otherErrors": enumValue(declaredOtherErrors)},
		base: func(b *Base, l *layer) {
			listFromBase(l, declaredFailures, b.Failures)
			fromBase(l, declaredOtherErrors, b.OtherErrors)
		},
		check: checkFailures,
		texts: func(c *checker) {
			for i, f := range declaredFailures.of(&c.layer) {
				if f != nil {
					c.text(fmt.Sprintf("failureModes/%d/description", i), f.description)
				}
			}
		},
		rules: []BuildRule{
			{ID: ruleFailureNil, Summary: "A failure is not nil."},
			{ID: ruleFailureCode, Summary: "A failure's code is lower-case words joined by underscores."},
			{ID: ruleFailureClass, Summary: "A failure is retryable or fatal."},
			{ID: ruleFailureDescription, Summary: "A failure has a description."},
			{ID: ruleFailureDuplicate, Summary: "A code is declared once."},
			{ID: ruleFailureReserved, Summary: "A reserved code keeps its class, and outcome_unknown of a tool with Reconcile " +
				"has a possible effect."},
			{ID: ruleFailureRerun, Summary: "Other errors are not retryable if a repeated call is refused because its outcome " +
				"is unknown."},
		},
	}
}

// failureKeys returns the keys of a FailureTag field.
func failureKeys() map[string]func(*Failure, *tagReader) {
	return map[string]func(*Failure, *tagReader){
		"code":           func(f *Failure, r *tagReader) { f.code = r.value },
		"class":          func(f *Failure, r *tagReader) { r.enum(&f.class) },
		"description":    func(f *Failure, r *tagReader) { f.description = r.value },
		"effectPossible": func(f *Failure, r *tagReader) { r.boolean(&f.effectPossible) },
	}
}

// Failures adds declared failures. The list in the document is complete: any
// other error reaches the caller as internal_error.
func (b *Builder[In, Out]) Failures(failures ...*Failure) *Builder[In, Out] {
	add(declaredFailures, &b.verbs, failures)
	return b
}

// OtherErrors returns undeclared errors to the caller with their sanitised
// text, under the code [CodeToolRetry] or [CodeToolFatal], depending on the
// class. Use it for tools whose errors are free text that callers may read.
// After such an error in a managed or keyed call the outcome is unknown, so
// Build refuses the class retryable unless OnUnknown declares that the call
// runs again, or Reconcile finds out. The call's key is free for other
// arguments, except with Reconcile; see [Idempotency].
// Default: undeclared errors become internal_error, without any of their text.
func (b *Builder[In, Out]) OtherErrors(class Class) *Builder[In, Out] {
	declaredOtherErrors.set(&b.verbs, class)
	return b
}

var codePattern = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// checkFailures completes the list of the tool's failures: the declared ones,
// the generic one, and those of the guard.
func checkFailures(c *checker) {
	d := &c.doc
	declared := map[string]bool{}
	for i, failure := range declaredFailures.of(&c.layer) {
		where := fmt.Sprintf("failureModes/%d", i)
		if failure == nil {
			c.bad(ruleFailureNil, where, "the failure is nil", "pass a Retryable or a Fatal")
			continue
		}
		m := failure.mode()
		if !codePattern.MatchString(m.Code) || len(m.Code) > declare.MaxName {
			c.bad(ruleFailureCode, where, "the code is not formed well", `use lower-case words joined by underscores, such as `+
				`"invalid_recipient"`)
		}
		if !classes.IsValid(m.Class) {
			c.bad(ruleFailureClass, where, "the failure has no class", "use retryable or fatal")
		}
		if strings.TrimSpace(m.Description) == "" {
			c.bad(ruleFailureDescription, where, "the failure has no description", "describe the fault")
		}
		if declared[m.Code] {
			c.bad(ruleFailureDuplicate, where, "the code "+m.Code+" is declared twice", "declare it once")
			continue
		}
		declared[m.Code] = true
		if class, reserved := d.reservedClass(m.Code); reserved && classes.IsValid(m.Class) && class != m.Class {
			c.bad(ruleFailureReserved, where, fmt.Sprintf("the reserved code %s is %s and is declared %s", m.Code, class, m.Class),
				"declare it "+class.String()+", or choose another code")
		}
		if m.Code == CodeOutcomeUnknown && d.Reconcile != nil && !m.EffectPossible {
			c.bad(ruleFailureReserved, where, "outcome_unknown has no possible effect, so the same call would run instead of finding out",
				"declare it with EffectPossible, or choose another code")
		}
		d.FailureModes = append(d.FailureModes, m)
	}
	generic := c.genericFailure()
	refuses := d.isDeduplicated() && d.Idempotency.OnUnknown != idempotency.Rerun && !d.isAtomic() && d.Reconcile == nil
	if generic == anyRetryable && refuses {
		c.bad(ruleFailureRerun, "otherErrors",
			"other errors are retryable, but after one the outcome of the call is unknown, and the same call is refused",
			"declare other errors fatal, the errors without an effect as retryable failures, onUnknown rerun, or Reconcile")
	}
	unlisted := c.verbatim && generic == nil
	if reported := c.reportedFailure(); reported != nil && !unlisted && !declared[reported.code] {
		declared[reported.code] = true
		d.FailureModes = append(d.FailureModes, reported.mode())
	}
	if !c.partial {
		d.FailureModes = slices.Concat(d.FailureModes, d.guardFailures(declared), c.askFailures(declared))
	}
}

// genericFailure returns the failure that undeclared errors become, nil if they
// become internal_error.
func (c *checker) genericFailure() *Failure {
	switch class, declared := declaredOtherErrors.in(&c.layer); {
	case !declared:
		return nil
	case class == ClassRetryable:
		return anyRetryable
	case class == ClassFatal:
		return anyFatal
	}
	c.bad(ruleFailureClass, "otherErrors", "the class is unknown", "use retryable or fatal")
	return nil
}

// reportedFailure returns the failure that a wrapped handler's own error
// results become, or nil if they become internal_error. Repeating a call is
// safe only if the tool just reads or if a repetition changes nothing.
func (c *checker) reportedFailure() *Failure {
	f := c.genericFailure()
	switch i := c.doc.Idempotency; {
	case f != nil || !c.passes:
		return f
	case c.doc.Effect == risk.ReadOnly || i != nil && (i.Atomic || i.Mode == idempotency.Native):
		return anyRetryable
	}
	return anyReported
}

// codeOf returns the code of a failure, or "" for nil.
func codeOf(f *Failure) string {
	if f == nil {
		return ""
	}
	return f.code
}
