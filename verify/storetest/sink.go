package storetest

import (
	"io"
	"testing"

	"github.com/toolcontract/toolcontract/audit"
)

// A SinkHarness is a fresh sink with hooks to look behind it. Each rule gets
// its own harness.
type SinkHarness struct {
	// Sink is the sink to check. If it is an [io.Closer], its Close is checked
	// too.
	Sink audit.Sink
	// Kept reads back the events that the sink kept, in its order. It is called
	// after Write has returned, and after Close. It is required.
	Kept func() ([]audit.Event, error)
	// Raw reads back the text that the sink wrote. Nil: the sink writes no text
	// for people.
	Raw func() ([]byte, error)
	// Fail makes every later attempt to keep an event fail, like a full disk.
	// Nil: the test cannot do that.
	Fail func() error
	// Stall makes every later attempt to keep an event hang until release is
	// called, like a dead disk. The suite calls release once. Nil: the test
	// cannot do that.
	Stall func() (release func())
}

// RunSink checks an audit sink against every rule, each in a subtest of that
// name. It calls newHarness once for each rule. Rules that need an optional
// hook are skipped if the harness lacks it.
func RunSink(t *testing.T, newHarness func(t *testing.T) SinkHarness) {
	t.Helper()
	sinkSuite().run(t, newHarness)
}

func sinkSuite() suite[SinkHarness] {
	return suite[SinkHarness]{
		incomplete: func(h SinkHarness) string {
			return lacks(h.Sink == nil || h.Kept == nil, "Sink or Kept")
		},
		checks: []check[SinkHarness]{
			{
				name:        "kept",
				explanation: "an event of every kind is kept once, with all its members, when Write returns nil (rule 1)",
				do:          SinkHarness.checkKept,
			},
			{
				name:        "order",
				explanation: "events are kept in the order of the calls of Write (rule 4)",
				do:          SinkHarness.checkOrder,
			},
			{
				name:        "concurrent",
				explanation: "several goroutines may call Write, and no event is lost or changed (rules 2 and 4)",
				do:          SinkHarness.checkConcurrent,
			},
			{
				name:        "failure",
				explanation: "Write returns an error if the event cannot be kept (rule 1)",
				do:          SinkHarness.checkFailure,
				missing:     func(h SinkHarness) string { return lacks(h.Fail == nil, "Fail") },
			},
			{
				name:        "cancelled",
				explanation: "with a context that is done Write returns soon, and returns nil only if the event is kept (rule 3)",
				do:          SinkHarness.checkCancelled,
			},
			{
				name:        "stalled",
				explanation: "Write returns soon after its context is done, also while the storage hangs (rule 3)",
				do:          SinkHarness.checkStalled,
				missing:     func(h SinkHarness) string { return lacks(h.Stall == nil, "Stall") },
			},
			{
				name:        "context",
				explanation: "after Write has returned, the context no longer decides whether the event is kept (rule 5)",
				do:          SinkHarness.checkContext,
			},
			{
				name:        "text",
				explanation: "no member can forge a line or control a terminal (rule 6)",
				do:          SinkHarness.checkText,
				missing:     func(h SinkHarness) string { return lacks(h.Raw == nil, "Raw") },
			},
			{
				name:        "closed",
				explanation: "after Close, Write returns an error and every event for which Write returned nil is kept (rule 8)",
				do:          SinkHarness.checkClosed,
				missing: func(h SinkHarness) string {
					_, ok := h.Sink.(io.Closer)
					return lacks(!ok, "a Close method of the sink")
				},
			},
		},
	}
}
