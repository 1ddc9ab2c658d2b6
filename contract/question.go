package contract

const declaredQuestion declaration[bool] = "Question" // whether it was given a function

const (
	ruleQuestionNil    = "question.nil"
	ruleQuestionUnused = "question.unused"
)

func questionClause() clause {
	return clause{
		check: checkQuestion,
		rules: []Rule{
			{ID: ruleQuestionNil, Summary: "Question has a function."},
			{ID: ruleQuestionUnused, Summary: "A tool with a Question asks a person, or demands a step-up."},
		},
	}
}

// Question sets a function that describes a call in the words of its business,
// such as "Refund 40 € to Anna". A person who is asked about the call reads the
// sentence in one line after the title, marked as the tool's own words. It
// stands beside the arguments and never replaces them.
//
// The sentence is cut after 400 bytes. Hidden characters are shown as escapes,
// line breaks become blanks, and addresses do not become links. If it is empty,
// or if the function panics or does not return within 10 seconds, the person
// gets the question without it. The function must be pure: it may run several
// times for one call, and concurrently. Do not put secrets into the sentence.
func (b *Builder[In, Out]) Question(describe func(In) string) *Builder[In, Out] {
	declaredQuestion.set(&b.verbs, describe != nil)
	b.question = describe
	return b
}

func checkQuestion(c *checker) {
	switch hasFunction, said := declaredQuestion.in(&c.layer); {
	case !said:
	case !hasFunction:
		c.bad(ruleQuestionNil, "question", "Question was given no function", "give it one, or leave it out")
	case c.doc.Confirmation == ConfirmationNever && c.doc.StepUp == nil:
		c.bad(ruleQuestionUnused, "question", "no person is asked about a call, so the sentence of Question is never shown",
			"declare ConfirmAlways or ConfirmWhen, or remove Question")
	}
}
