package contract

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/toolname"
)

// failures completes the list of how the tool fails.
func (c *checker) failures() {
	d := &c.doc
	declared := map[string]bool{}
	for i, failure := range c.facts.failures.value {
		clause := fmt.Sprintf("failureModes/%d", i)
		if failure == nil {
			c.bad(ruleFailureNil, clause, "the failure is nil", "pass a Retryable or a Fatal")
			continue
		}
		m := failure.mode()
		if !codePattern.MatchString(m.Code) || len(m.Code) > toolname.MaxLength {
			c.bad(ruleFailureCode, clause, "the code is not formed well", `use lower-case words joined by underscores, such as "invalid_recipient"`)
		}
		if !m.Class.IsValid() {
			c.bad(ruleFailureClass, clause, "the failure has no class", "say retryable or fatal")
		}
		if strings.TrimSpace(m.Description) == "" {
			c.bad(ruleFailureDescription, clause, "the failure has no description", "say what went wrong when it happens")
		}
		if declared[m.Code] {
			c.bad(ruleFailureDuplicate, clause, "the code "+m.Code+" is declared twice", "declare it once")
			continue
		}
		declared[m.Code] = true
		if class, reserved := d.reservedClass(m.Code); reserved && m.Class.IsValid() && class != m.Class {
			c.bad(ruleFailureReserved, clause, fmt.Sprintf("the reserved code %s is %s and is declared %s", m.Code, class, m.Class), "declare it "+class.String()+", or choose another code")
		}
		d.FailureModes = append(d.FailureModes, m)
	}
	if generic := c.genericFailure(); generic != nil && !declared[generic.code] {
		declared[generic.code] = true
		d.FailureModes = append(d.FailureModes, generic.mode())
	}
	d.FailureModes = append(d.FailureModes, d.guardFailures(declared)...)
}

// genericFailure is what undeclared errors leave as, nil where they do not.
func (c *checker) genericFailure() *Failure {
	switch class := c.facts.otherErrors; {
	case !class.ok:
		return nil
	case class.value == ClassRetryable:
		return ErrRetry
	case class.value == ClassFatal:
		return ErrFatal
	}
	c.bad(ruleFailureClass, "otherErrors", "the class is none of the known ones", "say retryable or fatal")
	return nil
}

func (c *checker) otherErrors() string {
	if f := c.genericFailure(); f != nil {
		return f.code
	}
	return ""
}
