// Package idempotency has the vocabulary of the idempotency clause: which party
// makes repeated calls harmless ([Mode]), and what a repeated call does when
// the outcome of an earlier one is unknown ([OnUnknown]).
//
// A call is idempotent in the sense of RFC 9110, section 9.2.2: several
// identical calls have the same intended effect as one.
package idempotency
