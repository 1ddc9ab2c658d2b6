// Package sinktest checks that an audit sink follows the rules of [audit.Sink].
//
//	func TestSink(t *testing.T) {
//		sinktest.Run(t, func(t *testing.T) sinktest.Harness {
//			sink := newSink(t.TempDir())
//			return sinktest.Harness{Sink: sink, Kept: sink.Events}
//		})
//	}
//
// Each rule is a subtest with a sink of its own. Some rules
// need an optional hook of the [Harness] and are skipped without it.
//
// # Deviations and limits
//
// A busy machine must not make a good sink fail. A call counts as hanging only
// after a minute, so a sink that is merely slow is not found.
//
// The suite cannot see whether an event that can be read back would survive a
// crash, nor whether a sink calls the guard.
package sinktest
