package contract

import (
	"strings"
	"time"
)

const declaredStepUp declaration[StepUp] = "stepUp"

const (
	ruleStepUpEmpty = "stepUp.empty"
	ruleStepUpACR   = "stepUp.acr"
)

func stepUpClause() clause {
	return clause{
		members: []string{"stepUp"},
		keys: tagKeys{
			"stepUpWhen":   partOf(declaredStepUp, func(s *StepUp, r *tagReader) { s.When = r.value }),
			"stepUpMaxAge": partOf(declaredStepUp, func(s *StepUp, r *tagReader) { r.seconds(&s.MaxAge) }),
			"stepUpACR":    partOf(declaredStepUp, func(s *StepUp, r *tagReader) { s.ACR = r.value }),
		},
		base:  func(b *Base, l *layer) { fromBase(l, declaredStepUp, b.StepUp) },
		check: checkStepUp,
		texts: func(c *checker) {
			if c.doc.StepUp != nil {
				c.text("stepUp/when", c.doc.StepUp.When)
			}
		},
		rules: []BuildRule{
			{ID: ruleStepUpEmpty, Summary: "A step-up demands an age or an ACR."},
			{ID: ruleStepUpACR, Summary: "An ACR is printable ASCII without blanks, quotes and backslashes: it is written into " +
				"a challenge (RFC 9470)."},
		},
	}
}

// StepUp demands a recent or strong authentication of every caller; see
// [StepUp]. A call without it is refused with step_up_required, or the client
// sends its user to authenticate. Default: none.
func (b *Builder[In, Out]) StepUp(s StepUp) *Builder[In, Out] {
	declaredStepUp.set(&b.verbs, s)
	return b
}

func checkStepUp(c *checker) {
	s, declared := declaredStepUp.in(&c.layer)
	if !declared {
		return
	}
	if s.MaxAge < 0 || s.MaxAge%time.Second != 0 {
		c.bad(ruleLimitRange, "stepUp", "the age is not a positive number of whole seconds", c.advice(string(declaredStepUp),
			"use a duration such as 5*time.Minute", `write a duration such as stepUpMaxAge:"5m"`))
	} else if s.MaxAge == 0 && s.ACR == "" {
		c.bad(ruleStepUpEmpty, "stepUp", "the step-up demands nothing", c.advice(string(declaredStepUp), "set MaxAge or ACR",
			"write stepUpMaxAge or stepUpACR"))
	}
	if strings.ContainsFunc(s.ACR, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }) {
		c.bad(ruleStepUpACR, "stepUp/acr", "the class has a character other than printable ASCII without blanks, quotes and "+
			"backslashes", "name one class, as the authorization server does")
	}
	c.doc.StepUp = &s
}
