package storetest

// A Rule is one thing that a suite checks.
type Rule struct {
	// Name is stable, such as "claim-atomic".
	Name string
	// Explanation says what the store has to do, and by which rule of the interface.
	Explanation string

	check func(*probe)
	// needs are the hooks without which the rule is skipped.
	needs []hook
}

// A hook is something that a [Harness] may lack, by its name.
type hook string

const (
	aStore  hook = "Store"
	exactly hook = "Exact"
	hanging hook = "Hang"
	filled  hook = "Full"
)

func (k hook) in(h Harness) bool {
	switch k {
	case aStore:
		return h.Store != nil
	case exactly:
		return h.Exact
	case hanging:
		return h.Hang != nil
	case filled:
		return h.Full != nil
	default:
		return false
	}
}

// lack names what the harness lacks for the rule, empty where nothing.
func (r Rule) lack(h Harness) string {
	for _, k := range r.needs {
		if !k.in(h) {
			return string(k)
		}
	}
	return ""
}
