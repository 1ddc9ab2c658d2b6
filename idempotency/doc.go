// Package idempotency is the vocabulary of repeated calls: who makes a repetition harmless, and what
// happens to one whose first run was lost.
//
// The promise behind these words is: while the store is up, at most one execution at a time per key,
// and the first recorded outcome is replayed until it expires. It is never "exactly once". A server that
// crashes between an effect and its record leaves an outcome that nobody knows; [OnUnknown] is the
// author's choice of what a repetition does then.
//
// A call is idempotent as RFC 9110, section 9.2.2, has it: the effect of several identical calls is that
// of one.
package idempotency
