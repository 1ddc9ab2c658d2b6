package contract

import "context"

const declaredPrecheck declaration[bool] = "Precheck" // whether it was given a function

const rulePrecheckNil = "precheck.nil"

func precheckClause() clause {
	return clause{
		check: checkPrecheck,
		rules: []BuildRule{{ID: rulePrecheckNil, Summary: "Precheck has a function."}},
	}
}

// Precheck sets a function that reports why a call would fail, for example
// because an order does not exist. It runs with valid arguments, once the
// caller is known to be allowed the call, and before a person is asked or the
// handler runs. Its error ends the call like an error of the handler, but
// nothing was done.
//
// Declare its failures with Failures. An undeclared error becomes
// internal_error. The function must have no effect: it runs again if the call
// is repeated or answers a question. It does not run for a dry run or for a
// call whose recorded result is replayed. The handler must check again, because
// it may run minutes later. The function has the time limit of a dry run, and
// takes one of the slots of MaxConcurrent.
func (b *Builder[In, Out]) Precheck(check func(context.Context, In) error) *Builder[In, Out] {
	declaredPrecheck.set(&b.verbs, check != nil)
	b.precheck = check
	return b
}

func checkPrecheck(c *checker) {
	if hasFunction, isDeclared := declaredPrecheck.in(&c.layer); isDeclared && !hasFunction {
		c.bad(rulePrecheckNil, "precheck", "Precheck was given no function", "give it one, or leave it out")
	}
}
