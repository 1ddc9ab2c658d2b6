package contract

import (
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/bound"
)

const (
	declaredAsks      declaration[int]   = "Asks"
	declaredAsksForms declaration[[]any] = "Asks forms"
)

const (
	ruleAsksNumber  = "asks.number"
	ruleAsksForm    = "asks.form"
	ruleAsksWrapped = "asks.wrapped"
)

const maxAsks = 10

func asksClause() clause {
	return clause{
		check: checkAsks,
		rules: []BuildRule{
			{ID: ruleAsksNumber, Summary: "A handler asks its client 1 to 10 times in a call."},
			{ID: ruleAsksForm, Summary: "A form of Ask is a struct of texts, numbers and booleans, without secrets."},
			{ID: ruleAsksWrapped, Summary: "A wrapped handler asks with a result of its SDK."},
		},
	}
}

// Asks declares that the handler asks its client with [Ask] or [Sample]. In one
// call, it may ask at most the given number of times, 1 to 10; a question that
// is asked again counts again. Pass a value of each type that it asks for with
// Ask, so that Build checks the forms.
//
// A client that can't answer gets confirmation_required, and one whose person
// declines gets confirmation_declined; the contract lists both codes. Declined
// calls are remembered like those that a person declined to confirm. Each
// answer runs the handler again, as a round: it counts against the rate limits,
// and the caller is checked again. No slot, key or time limit of the tool is
// used up while a person thinks; all answers must come within
// guard.Times.QuestionTTL. The confirmation of the call and its dry run come
// before the first question and count for all. An atomic tool can't ask.
//
// Default: Ask and Sample return an error.
func (b *Builder[In, Out]) Asks(times int, forms ...any) *Builder[In, Out] {
	declaredAsks.set(&b.verbs, times)
	add(declaredAsksForms, &b.verbs, forms)
	return b
}

func checkAsks(c *checker) {
	times, isDeclared := declaredAsks.in(&c.layer)
	switch {
	case !isDeclared:
		return
	case c.wrapped:
		c.bad(ruleAsksWrapped, "Asks", "the tool is wrapped, so its handler asks with a result of its SDK", "use wrap.WithRounds")
	case times < 1 || times > maxAsks:
		c.bad(ruleAsksNumber, "Asks", "the number of questions is not from 1 to 10", "correct it")
	}
	for _, example := range declaredAsksForms.of(&c.layer) {
		_, problems := formOf(reflect.TypeOf(example))
		c.problems("Asks", problems)
	}
}

// askFailures returns the guard's failures of a tool that asks its client, but
// not for a confirmation.
func (c *checker) askFailures(declared map[string]bool) []FailureMode {
	if !declaredAsks.isIn(&c.layer) || c.doc.asks() {
		return nil
	}
	return slices.DeleteFunc([]FailureMode{
		{Code: CodeConfirmationRequired, Class: ClassFatal, Description: "The tool needs an input that this client cannot give.",
			By: ByGuard},
		{Code: CodeConfirmationDeclined, Class: ClassRetryable, Description: "The person asked for an input declined. " +
			"Do not repeat the call; ask what to do instead.", By: ByGuard},
	}, func(m FailureMode) bool { return declared[m.Code] })
}

// rounds returns how often the handler of a tool may ask its client.
func (c *checker) rounds(d *bound.Adapted) int {
	if times := declaredAsks.of(&c.layer); times > 0 {
		return times
	}
	return bound.Rounds(d)
}
