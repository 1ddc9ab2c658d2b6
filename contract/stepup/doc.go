// Package stepup serves the page on which a person confirms an authentication
// for one call (RFC 9470). A call whose contract demands a more recent or
// stronger authentication sends the person here; see guard.WithStepUp.
//
//	people, err := signin.New(web.Origin())
//	g, err := guard.New(guard.WithStepUp(stepup.Address(web.Origin())), …)
//	page, err := stepup.New(g, people, "/sign-in")
//	web.HandleTree(stepup.DefaultPath, page)
//
// A person who is not signed in, or whose authentication does not meet the
// demand of the call, is sent to the sign-in of the server. Its address has the
// parameter [signin.ReturnParam], and what the call demands in max_age and
// acr_values (OpenID Connect Core 1.0 §3.1.2.1). After the sign-in the person
// sees the call with all its arguments and confirms it. The call then runs
// once.
//
// The person must be the principal of the call: the issuer, tenant and subject
// of the session and of the call are equal. Other people learn nothing about
// it. The page needs no JavaScript, cannot be framed, and changes state only by
// a POST from itself with a token of the session and the call.
package stepup
