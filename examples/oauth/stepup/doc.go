// Package stepup is the page to which a client sends a person who has to
// authenticate again before a call may run.
//
// The page knows nobody who comes: it has no session, and so nothing that another
// site or an agent could make use of. A person signs in, sees what for, and says
// that it was they who wanted it; what the second form sends along is sealed, and
// holds for that person, that request and five minutes.
//
// The sign-in is a stand-in: [Codes] sends a code of six digits to a place that
// the client does not see. Elsewhere it is the authorization server that
// authenticates, with acr_values and max_age (OpenID Connect Core 1.0 §3.1.2.1),
// and the page has its answer in the place of the code. The rest stays.
package stepup
