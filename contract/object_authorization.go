package contract

import "context"

const (
	declaredAuthorization declaration[bool] = "authorize"
	declaredAuthorize     declaration[bool] = "Authorize" // whether it was given a function
)

const ruleAuthorizeFunction = "authorize.function"

func objectAuthorizationClause() clause {
	return clause{
		members: []string{"objectAuthorization"},
		keys:    tagKeys{"authorize": flagValue(declaredAuthorization)},
		check:   checkObjectAuthorization,
		rules: []Rule{{ID: ruleAuthorizeFunction, Summary: "A tool that authorizes by its arguments has the function that decides, " +
			"from Authorize."}},
	}
}

// Authorize sets the function that decides whether a principal may make a call
// with these arguments, such as "only the customer's own invoices". A nil error
// allows the call. Any other error denies it with [CodePermissionDenied], and
// its text goes only to the audit log. An error that wraps guard.ErrUnavailable
// answers [CodeUnavailable] instead. A panic, or no answer within 10 seconds,
// denies the call.
//
// The function runs after permissions were checked and the arguments are valid,
// and before a person is asked. If the call waits for that person, it runs once
// more afterwards. It runs for every call, including dry runs, calls that
// replay a recorded result, and calls that a person approved meanwhile. The
// server's own policy (guard.WithAuthorizer) must allow the call too. Calls may
// run it concurrently. Its input is a copy of its own.
//
// The tool needs an authenticated caller, so p is never anonymous. Deny calls
// that name an object that does not exist, too. Otherwise callers can find out
// which objects of others exist.
func (b *Builder[In, Out]) Authorize(decide func(ctx context.Context, p Principal, in In) error) *Builder[In, Out] {
	declaredAuthorization.set(&b.verbs, true)
	declaredAuthorize.set(&b.verbs, decide != nil)
	b.authorize = decide
	return b
}

func checkObjectAuthorization(c *checker) {
	c.doc.ObjectAuthorization = declaredAuthorization.of(&c.layer)
	if c.doc.ObjectAuthorization && !declaredAuthorize.of(&c.layer) {
		c.bad(ruleAuthorizeFunction, "objectAuthorization", "there is no function that decides", "call Authorize with one")
	}
}
