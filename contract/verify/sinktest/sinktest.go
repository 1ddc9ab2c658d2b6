package sinktest

import (
	"io"
	"testing"

	"github.com/toolcontract/toolcontract/internal/rules"
)

// Run checks a sink against every rule, each in a subtest with its name. It
// calls newHarness once for each rule. If the harness lacks an optional hook,
// the rules that need it are skipped.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	suite().Run(t, newHarness)
}

func suite() rules.Suite[Harness] {
	return rules.Suite[Harness]{
		Name: "sinktest",
		Incomplete: func(h Harness) string {
			return lacks(h.Sink == nil || h.Kept == nil, "Sink or Kept")
		},
		Checks: []rules.Check[Harness]{
			{
				Name:        "kept",
				Explanation: "an event of every kind is kept once, with all its members, when Write returns nil (rule 1)",
				Do:          checkKept,
			},
			{
				Name:        "order",
				Explanation: "events are kept in the order of the calls of Write (rule 4)",
				Do:          checkOrder,
			},
			{
				Name:        "concurrent",
				Explanation: "several goroutines may call Write, and no event is lost or changed (rules 2 and 4)",
				Do:          checkConcurrent,
			},
			{
				Name:        "failure",
				Explanation: "Write returns an error if the event cannot be kept (rule 1)",
				Do:          checkFailure,
				Missing:     func(h Harness) string { return lacks(h.Fail == nil, "Fail") },
			},
			{
				Name:        "cancelled",
				Explanation: "with a context that is done Write returns soon, and returns nil only if the event is kept (rule 3)",
				Do:          checkCancelled,
			},
			{
				Name:        "stalled",
				Explanation: "Write returns soon after its context is done, also while the storage hangs (rule 3)",
				Do:          checkStalled,
				Missing:     func(h Harness) string { return lacks(h.Stall == nil, "Stall") },
			},
			{
				Name:        "context",
				Explanation: "after Write has returned, the context no longer decides whether the event is kept (rule 5)",
				Do:          checkContext,
			},
			{
				Name:        "text",
				Explanation: "no member can forge a line or control a terminal (rule 6)",
				Do:          checkText,
				Missing:     func(h Harness) string { return lacks(h.Raw == nil, "Raw") },
			},
			{
				Name:        "closed",
				Explanation: "after Close, Write returns an error and every event for which Write returned nil is kept (rule 8)",
				Do:          checkClosed,
				Missing: func(h Harness) string {
					_, ok := h.Sink.(io.Closer)
					return lacks(!ok, "a Close method of the sink")
				},
			},
		},
	}
}

func lacks(missing bool, what string) string {
	if missing {
		return what
	}
	return ""
}
