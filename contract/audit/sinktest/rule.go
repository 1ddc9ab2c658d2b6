package sinktest

import "io"

// A Rule is one thing that the suite checks.
type Rule struct {
	// Name is stable, such as "kept".
	Name string
	// Explanation says what the sink has to do, and by which rule of [audit.Sink].
	Explanation string

	check func(Harness) error
	// missing names what the harness lacks for this rule; nil: it needs no more than it must have.
	missing func(Harness) string
}

// Rules returns the rules in the order in which they are checked, in a slice that belongs to the caller.
func Rules() []Rule {
	return []Rule{
		{
			Name:        "kept",
			Explanation: "an event of every kind is kept once, with all its members, when Write returns nil (rule 1)",
			check:       checkKept,
		},
		{
			Name:        "order",
			Explanation: "events are kept in the order of the calls of Write (rule 4)",
			check:       checkOrder,
		},
		{
			Name:        "concurrent",
			Explanation: "Write may be called by several goroutines, and loses and mixes up nothing (rules 2 and 4)",
			check:       checkConcurrent,
		},
		{
			Name:        "failure",
			Explanation: "Write returns an error where the event cannot be kept (rule 1)",
			check:       checkFailure,
			missing:     func(h Harness) string { return lacks(h.Fail == nil, "Fail") },
		},
		{
			Name:        "cancelled",
			Explanation: "Write with a context that is done returns soon, and nil only where the event is kept (rule 3)",
			check:       checkCancelled,
		},
		{
			Name:        "stalled",
			Explanation: "Write returns soon after its context is done, also while the storage hangs (rule 3)",
			check:       checkStalled,
			missing:     func(h Harness) string { return lacks(h.Stall == nil, "Stall") },
		},
		{
			Name:        "context",
			Explanation: "what became of an event does not depend on its context after Write returned (rule 5)",
			check:       checkContext,
		},
		{
			Name:        "text",
			Explanation: "no member can forge a line or drive a terminal (rule 6)",
			check:       checkText,
			missing:     func(h Harness) string { return lacks(h.Raw == nil, "Raw") },
		},
		{
			Name:        "closed",
			Explanation: "Write returns an error after Close, and what it returned nil for is kept (rule 8)",
			check:       checkClosed,
			missing: func(h Harness) string {
				_, ok := h.Sink.(io.Closer)
				return lacks(!ok, "a Close method of the sink")
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
