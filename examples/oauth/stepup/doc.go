// Package stepup serves the page where a person authenticates again before a
// call may run. A client sends the person there. A server with a sign-in uses
// package contract/stepup instead.
//
// The page has no sessions, so another site or an agent cannot abuse one. A
// person signs in, sees the call, and confirms that they requested it. The form
// for the confirmation carries a signed proof of the sign-in. The proof is
// valid for this person and this request, for five minutes.
//
// The sign-in is a stand-in: [Codes] sends a code of six digits to a place that
// the client cannot see. In production the authorization server authenticates
// the person, with acr_values and max_age (OpenID Connect Core 1.0 §3.1.2.1),
// and its answer replaces the code.
package stepup
