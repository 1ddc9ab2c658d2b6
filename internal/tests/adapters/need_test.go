package adapters_test

// A need is what a rule requires of a wire.
type need struct {
	// what names it, for the report of a skipped rule.
	what string
	// met reports whether a wire of a harness has it.
	met func(Capabilities, wire) bool
}

func can(what string, stated func(Capabilities) bool) need {
	return need{"Capabilities." + what, func(c Capabilities, _ wire) bool { return stated(c) }}
}

var (
	overStream = need{"Stream", func(_ Capabilities, w wire) bool { return !w.http }}
	overHTTP   = need{"HTTP", func(_ Capabilities, w wire) bool { return w.http }}
	inOlder    = need{"Capabilities.Older", func(_ Capabilities, w wire) bool { return w.version == older }}
	inNewer    = need{"Capabilities.Newer", func(_ Capabilities, w wire) bool { return w.version == newer }}

	exact      = can("ExactArguments", func(c Capabilities) bool { return c.ExactArguments })
	pages      = can("Pages", func(c Capabilities) bool { return c.Pages })
	tasks      = can("Tasks", func(c Capabilities) bool { return c.Tasks })
	unparsable = can("Unparsable", func(c Capabilities) bool { return c.Unparsable })
	progress   = can("Progress", func(c Capabilities) bool { return c.Progress })
	cancels    = can("Cancels", func(c Capabilities) bool { return c.Cancels })
	recovers   = can("Recovers", func(c Capabilities) bool { return c.Recovers })

	// asks means that a person can be asked one way or the other.
	asks = need{"Capabilities.AsksWithin or Capabilities.AsksInRounds", Capabilities.asksOn}
	// inRounds means that a person is asked through a result.
	inRounds = need{"Capabilities.AsksInRounds", func(c Capabilities, w wire) bool { return w.version == newer && c.AsksInRounds }}
	// within means that a person is asked within the call.
	within = need{"Capabilities.AsksWithin", func(c Capabilities, w wire) bool { return w.version == older && c.asksOn(w) }}
)

// asksOn reports whether a person can be asked on a wire.
func (c Capabilities) asksOn(w wire) bool {
	if w.version == newer {
		return c.AsksInRounds
	}
	return c.AsksWithin && (!w.http || c.Sessions)
}

// meeting returns the wires that meet all needs. If there are none, lacking
// names an unmet need.
func (h Harness) meeting(needs []need) (wires []wire, lacking string) {
	wires = h.wires()
	for _, n := range needs {
		kept := wires[:0:0]
		for _, w := range wires {
			if n.met(h.Capabilities, w) {
				kept = append(kept, w)
			}
		}
		if len(kept) == 0 {
			return nil, n.what
		}
		wires = kept
	}
	return wires, ""
}
