// Package storetest checks that a store follows the rules of [store.Store], and
// that an audit sink follows those of [audit.Sink].
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Harness {
//			s := newStore(t)
//			return storetest.Harness{Store: s, Advance: s.advance}
//		})
//	}
//
//	func TestSink(t *testing.T) {
//		storetest.RunSink(t, func(t *testing.T) storetest.SinkHarness {
//			sink := newSink(t.TempDir())
//			return storetest.SinkHarness{Sink: sink, Kept: sink.Events}
//		})
//	}
//
// A store that several processes share needs one more test, in which the test
// binary starts itself several times:
//
//	func TestStore_OfSeveralProcesses(t *testing.T) {
//		storetest.RunProcesses(t, startServer, func(t *testing.T, url string) storetest.Harness {
//			s := newStoreAt(t, url)
//			return storetest.Harness{Store: s, Advance: s.advance}
//		})
//	}
//
// Each rule is a subtest. Some rules need an optional hook in the harness and
// are skipped without it.
//
// The rules of a store are named as in the documentation of [store.Store].
// Every answer of the store is compared with that of a simple model, and a
// failure reports the steps that led to it.
//
// The rule "history" runs random sequences of operations, and a few other rules
// draw their values. They use [pgregory.net/rapid], which shrinks a failing
// sequence and prints how to run it again. The flag -rapid.checks, or the
// environment variable RAPID_CHECKS, sets the number of sequences. Default:
// 100.
//
// # Deviations and limits
//
// A busy machine must not make a correct store or sink fail. Every end of a
// duration is therefore at least half an hour before or after the step that
// depends on it. A store counts as hanging only after five minutes, and a sink
// after one, so a sink that is merely slow goes unnoticed. When durations end
// is checked to the millisecond only if the harness is [Harness.Exact].
//
// The suites cannot see which counts a store forgets when it is full, whether
// its records or a sink's events survive a crash, or whether a sink calls the
// guard.
package storetest
