package contract

import (
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/risk"
)

const (
	declaredConfirmation declaration[confirmation] = "confirmation"
	declaredConfirmWhen  declaration[bool]         = "ConfirmWhen" // whether it was given a function
	declaredAutonomous   declaration[bool]         = "autonomous"
)

// A confirmation holds the declaration of one layer.
type confirmation struct {
	mode   Confirmation
	reason string
}

const (
	ruleConfirmationUnknown  = "confirmation.unknown"
	ruleConfirmationCritical = "confirmation.critical"
	ruleConfirmationReason   = "confirmation.reason"
	ruleConfirmationWhen     = "confirmation.when"
	ruleConfirmationUpstream = "confirmation.upstream"
	ruleSecurityVerification = "security.verification"
	ruleAutonomous           = "autonomous.contradiction"
)

// confirmationClause covers the confirmation, and autonomous, which follows
// from it.
func confirmationClause() clause {
	return clause{
		members: []string{"confirmation", "confirmationReason", "autonomous"},
		keys: tagKeys{
			"confirmation":       partOf(declaredConfirmation, func(c *confirmation, r *tagReader) { r.enum(&c.mode) }),
			"confirmationReason": partOf(declaredConfirmation, func(c *confirmation, r *tagReader) { c.reason = r.value }),
			"autonomous":         parsedValue(declaredAutonomous, parseBool, boolRemedy),
		},
		base: func(b *Base, l *layer) {
			fromBase(l, declaredConfirmation, confirmation{mode: b.Confirmation, reason: b.ConfirmationReason})
			if b.Autonomous != nil {
				declaredAutonomous.set(l, *b.Autonomous)
			}
		},
		check: checkConfirmation,
		texts: func(c *checker) { c.text("confirmationReason", c.doc.ConfirmationReason) },
		effective: func(d *Document) {
			if !confirmations.IsValid(d.Confirmation) {
				d.Confirmation = d.defaultConfirmation()
			}
		},
		rules: []BuildRule{
			{ID: ruleConfirmationUnknown, Summary: "A confirmation is never, upstream, when or always."},
			{ID: ruleConfirmationCritical, Summary: "A critical tool always asks."},
			{ID: ruleConfirmationReason, Summary: "A tool at high or above that never asks has a reason. A tool that asks has none."},
			{ID: ruleConfirmationWhen, Summary: "Confirmation when has its function, from ConfirmWhen."},
			{ID: ruleConfirmationUpstream, Summary: "Only a wrapped tool has the confirmation upstream."},
			{ID: ruleSecurityVerification, Summary: "From security level 8 up a tool asks or demands a step-up."},
			{ID: ruleAutonomous, Summary: "An assertion of autonomous contradicts neither risk and confirmation nor the Least of " +
				"Resolve."},
		},
	}
}

// ConfirmAlways declares that a person is asked before every call.
func (b *Builder[In, Out]) ConfirmAlways() *Builder[In, Out] {
	declaredConfirmation.set(&b.verbs, confirmation{mode: ConfirmationAlways})
	return b
}

// ConfirmNever lets a tool with high risk run without a question, for a reason
// that is published. A critical tool cannot declare it.
func (b *Builder[In, Out]) ConfirmNever(reason string) *Builder[In, Out] {
	declaredConfirmation.set(&b.verbs, confirmation{mode: ConfirmationNever, reason: reason})
	return b
}

// ConfirmWhen declares that a person is asked before the calls for which ask
// returns true. A panic of ask counts as true. Calls may run ask concurrently.
func (b *Builder[In, Out]) ConfirmWhen(ask func(In) bool) *Builder[In, Out] {
	declaredConfirmation.set(&b.verbs, confirmation{mode: ConfirmationWhen})
	declaredConfirmWhen.set(&b.verbs, ask != nil)
	b.confirmWhen = ask
	return b
}

// Autonomous asserts whether an agent may run the tool without a person. The
// value itself follows from the risk and the confirmation; Build refuses an
// assertion that contradicts them, and Autonomous(false) together with a
// Resolve whose Least asks no person.
func (b *Builder[In, Out]) Autonomous(may bool) *Builder[In, Out] {
	declaredAutonomous.set(&b.verbs, may)
	return b
}

func checkConfirmation(c *checker) {
	d := &c.doc
	value, declared := declaredConfirmation.in(&c.layer)
	d.Confirmation = value.mode
	d.ConfirmationReason = value.reason
	switch {
	case declared:
		c.declaredConfirmation(value)
	case d.confirmationBasis().AtLeast(risk.High) || c.needsVerification():
		d.Confirmation = ConfirmationAlways
	default:
		d.Confirmation = ConfirmationNever
	}
	// If a later verb overrides ConfirmWhen, its function is not called.
	if d.Confirmation == ConfirmationWhen && !declaredConfirmWhen.of(&c.layer) {
		c.bad(ruleConfirmationWhen, "confirmation", "there is no function that decides", "call ConfirmWhen with one")
	}
	d.Autonomous = d.Confirmation == ConfirmationNever && d.Risk != risk.Forbidden
	asserted, hasAssertion := declaredAutonomous.in(&c.layer)
	if hasAssertion && d.Risk.IsValid() && asserted != d.Autonomous {
		derivable := declaredRisk.isIn(&c.layer) || declaredEffect.isIn(&c.layer)
		c.missing(derivable, ruleAutonomous, "autonomous", fmt.Sprintf("autonomous %t contradicts risk %s with confirmation %s",
			asserted, d.Risk, d.Confirmation), "remove the assertion, or change risk or confirmation")
	}
}

// declaredConfirmation checks a confirmation against the risk and the security
// level.
func (c *checker) declaredConfirmation(value confirmation) {
	basis := c.doc.confirmationBasis()
	switch {
	case !confirmations.IsValid(value.mode):
		c.bad(ruleConfirmationUnknown, "confirmation", "the value is unknown", "use never, upstream, when or always")
	case value.reason != "" && value.mode != ConfirmationNever:
		c.bad(ruleConfirmationReason, "confirmationReason", fmt.Sprintf("a reason for no confirmation is declared with confirmation %s",
			value.mode), "remove confirmationReason, or declare confirmation never")
	case value.mode == ConfirmationAlways, !c.doc.Risk.IsValid(): // the risk itself is the mistake to report
	case basis.AtLeast(risk.Critical):
		c.waivedConfirmation(value)
	case c.needsVerification():
		c.bad(ruleSecurityVerification, "securityLevel", fmt.Sprintf("security level %d demands a confirmation or a step-up, but "+
			"confirmation %s is declared", c.doc.SecurityLevel, value.mode), c.advice(string(declaredConfirmation),
			"declare StepUp, or remove the confirmation", "declare stepUpMaxAge or stepUpACR, or remove the confirmation"))
	case value.mode == ConfirmationUpstream && !c.wrapped && !c.partial:
		c.bad(ruleConfirmationUpstream, "confirmation", "the tool is not wrapped, so no other server asks a person",
			"remove the confirmation, or wrap the tool of the server that asks")
	case value.mode == ConfirmationNever && basis.AtLeast(risk.High) && strings.TrimSpace(value.reason) == "":
		c.bad(ruleConfirmationReason, "confirmation", "a tool at high risk that never asks gives no reason", "give the reason")
	}
}

// waivedConfirmation reports that a tool which always asks declares otherwise.
// The message names what its author declared: the risk, or the effect for a
// restricted tool.
func (c *checker) waivedConfirmation(value confirmation) {
	why := fmt.Sprintf("a tool at risk %s", c.doc.Risk)
	remedy := "remove the confirmation, or lower the risk if the effect allows it"
	switch {
	case c.doc.Risk != risk.Restricted:
	case declaredEffect.isIn(&c.layer):
		why = fmt.Sprintf("a restricted tool with effect %s", c.doc.Effect)
		remedy = "remove the confirmation, or correct the effect"
	default:
		why = "a restricted tool without an effect counts as destructive and"
		remedy = c.advice(string(declaredEffect), "declare its Effect, such as risk.ReadOnly, or remove the confirmation",
			`write its effect, such as effect:"read-only", or remove the confirmation`)
	}
	c.bad(ruleConfirmationCritical, "confirmation", fmt.Sprintf("%s always asks, but confirmation %s is declared", why, value.mode),
		remedy)
}

// needsVerification reports whether the security level demands a confirmation,
// because there is no step-up.
func (c *checker) needsVerification() bool {
	return c.doc.SecurityLevel.NeedsVerification() && !declaredStepUp.isIn(&c.layer)
}

// asks reports whether the guard asks a person before some calls.
func (d Document) asks() bool {
	return d.Confirmation == ConfirmationWhen || d.Confirmation == ConfirmationAlways
}

// confirmationBasis returns the level that decides whether a person is asked.
// For a restricted tool it is the level of the effect.
func (d Document) confirmationBasis() risk.Level {
	if d.Risk == risk.Restricted {
		return d.Effect.DefaultLevel()
	}
	return d.Risk
}

// defaultConfirmation returns the confirmation that follows from a declared
// risk.
func (d Document) defaultConfirmation() Confirmation {
	if d.confirmationBasis().AtLeast(risk.High) || d.SecurityLevel.NeedsVerification() && d.StepUp == nil {
		return ConfirmationAlways
	}
	return ConfirmationNever
}

const (
	declaredTypedConfirmation declaration[bool] = "typedConfirmation"
	declaredConfirmTyping     declaration[bool] = "ConfirmTyping" // whether it was given a function
)

const (
	ruleConfirmTypingFunction = "confirmTyping.function"
	ruleConfirmTypingUnasked  = "confirmTyping.unasked"
)

func typedConfirmationClause() clause {
	return clause{
		members: []string{"typedConfirmation"},
		keys:    tagKeys{"confirmTyping": flagValue(declaredTypedConfirmation)},
		check:   checkTypedConfirmation,
		rules: []BuildRule{
			{ID: ruleConfirmTypingFunction, Summary: "A confirmation by typing has the function that returns the word, from " +
				"ConfirmTyping."},
			{ID: ruleConfirmTypingUnasked, Summary: "A tool whose confirmation is typed asks a person."},
		},
	}
}

// ConfirmTyping declares that a person confirms a call by typing a word, such
// as the number of the invoice that the call deletes. Use it for calls that
// cannot be undone. The tool must ask: by its risk, ConfirmAlways or
// ConfirmWhen.
//
// The person sees the word and types it into the client's form, or on an
// approver's page. It must be typed exactly, except that surrounding blanks are
// ignored and blanks inside may have any width. After a wrong word the question
// is asked twice more; then the call counts as declined. An answer without a
// word, such as from a client that accepts every form, counts as declined at
// once. On an approver's page, a wrong word decides nothing. The client gets
// the word with the question, so it can send it without a person: where that
// matters, use an approver (guard.PeopleOptions.ApproverFrom).
//
// The word has 1 to 64 characters on one line, none of them hidden or part of a
// link. If the function returns anything else, panics, or does not return
// within 10 seconds, the call is refused with [CodeInternalError]. The function
// must be pure: it may run several times for one call, and concurrently. Do not
// use a secret as the word.
func (b *Builder[In, Out]) ConfirmTyping(word func(In) string) *Builder[In, Out] {
	declaredTypedConfirmation.set(&b.verbs, true)
	declaredConfirmTyping.set(&b.verbs, word != nil)
	b.confirmWord = word
	return b
}

func checkTypedConfirmation(c *checker) {
	c.doc.TypedConfirmation = declaredTypedConfirmation.of(&c.layer)
	switch {
	case !c.doc.TypedConfirmation:
	case !declaredConfirmTyping.of(&c.layer):
		c.bad(ruleConfirmTypingFunction, "typedConfirmation", "there is no function that returns the word",
			"call ConfirmTyping with one")
	case !c.doc.asks():
		c.bad(ruleConfirmTypingUnasked, "typedConfirmation", "no person is asked, so no person can type the word",
			c.advice(string(declaredTypedConfirmation), "declare ConfirmAlways or ConfirmWhen, or remove ConfirmTyping",
				`write confirmation:"always", or remove confirmTyping`))
	}
}

const declaredQuestion declaration[bool] = "Question" // whether it was given a function

const (
	ruleQuestionNil    = "question.nil"
	ruleQuestionUnused = "question.unused"
)

func questionClause() clause {
	return clause{
		check: checkQuestion,
		rules: []BuildRule{
			{ID: ruleQuestionNil, Summary: "Question has a function."},
			{ID: ruleQuestionUnused, Summary: "A tool with a Question asks a person, or demands a step-up."},
		},
	}
}

// Question sets a function that describes a call in business terms, such as
// "Refund 40 € to Anna". A person who is asked about the call reads the
// sentence on one line after the title, marked as the tool's own words. It
// accompanies the arguments and never replaces them.
//
// The sentence is cut off after 400 bytes. Hidden characters are shown as
// escapes, line breaks become blanks, and addresses do not become links. If it
// is empty, or if the function panics or does not return within 10 seconds, the
// question is asked without it. The function must be pure: it may run several
// times for one call, and concurrently. Do not put secrets into the sentence.
func (b *Builder[In, Out]) Question(describe func(In) string) *Builder[In, Out] {
	declaredQuestion.set(&b.verbs, describe != nil)
	b.question = describe
	return b
}

func checkQuestion(c *checker) {
	switch hasFunction, declared := declaredQuestion.in(&c.layer); {
	case !declared:
	case !hasFunction:
		c.bad(ruleQuestionNil, "question", "Question was given no function", "give it one, or leave it out")
	case !c.doc.asks() && c.doc.StepUp == nil:
		c.bad(ruleQuestionUnused, "question", "no person is asked about a call, so the sentence of Question is never shown",
			"declare ConfirmAlways or ConfirmWhen, or remove Question")
	}
}
