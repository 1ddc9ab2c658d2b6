package contract

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
		rules: []Rule{
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
// The person sees the word and types it into the form of the client, or on the
// page of an approver. It must be typed exactly, except for blanks around it;
// blanks within it may be of any width. A wrong word is asked for again twice,
// and then the call counts as declined. No word, such as the answer of a client
// that accepts every form, counts as declined at once. On the page of an
// approver, a wrong word decides nothing. The word reaches the client in the
// question, so a client can send it without a person: where that matters, use
// an approver (guard.PeopleOptions.ApproverFrom).
//
// The word has 1 to 64 characters on one line, of which none is hidden or would
// become a link. If the function returns another word, panics, or does not
// return within 10 seconds, the call is refused with [CodeInternalError]. The
// function must be pure: it may run several times for one call, and
// concurrently. Do not use a secret as the word.
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
	case c.doc.Confirmation == ConfirmationNever:
		c.bad(ruleConfirmTypingUnasked, "typedConfirmation", "no person is asked, so no person can type the word",
			c.advice(string(declaredTypedConfirmation), "declare ConfirmAlways or ConfirmWhen, or remove ConfirmTyping",
				`write confirmation:"always", or remove confirmTyping`))
	}
}
