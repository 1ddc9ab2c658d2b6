// Package sinktest checks whether a sink keeps the rules of [audit.Sink].
//
//	func TestSink(t *testing.T) {
//		sinktest.Run(t, func(t *testing.T) sinktest.Harness {
//			sink := newSink(t.TempDir())
//			return sinktest.Harness{Sink: sink, Kept: sink.Events}
//		})
//	}
//
// Each rule is a subtest with a sink of its own; [Rules] lists them. Some need a hook of the [Harness],
// and are skipped without it.
//
// # Deviations and limits
//
// A machine that is busy with something else must not make a good sink a bad one: a call counts as one that
// hangs after a minute, and a sink that is merely late is not found.
//
// No suite can see whether an event that can be read back would survive a crash, nor whether a sink calls
// back into the guard.
package sinktest
