// Package storetest checks that a store follows the rules of [store.Store].
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Harness {
//			s := newStore(t)
//			return storetest.Harness{Store: s, Advance: s.advance}
//		})
//	}
//
// Each rule is a subtest with the name that it has in the documentation of
// [store.Store]. Some rules need an optional hook of the [Harness] and are
// skipped without it. Every answer of the store is compared
// with that of a simple model, and a failure reports the steps that led to it.
//
// The rule "history" runs random sequences of operations, and a few other rules
// draw their values. They use [pgregory.net/rapid], which shrinks the sequence
// of a failure and prints how to run it again. The flag -rapid.checks, or the
// environment variable RAPID_CHECKS, sets the number of sequences. Default:
// 100.
//
// # Deviations and limits
//
// A busy machine must not make a good store fail. Every end lies at least half
// an hour before or after the step that depends on it, and a store counts as
// hanging only after five minutes. The ends of durations are checked to the
// millisecond only if the harness is [Harness.Exact].
//
// The suite cannot see which counts a store forgets when it is full, nor
// whether its records survive a crash.
package storetest
