package host

import "strings"

// Hints are the hints of a tool, as a host reads them. A nil hint was not sent.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`    // readOnlyHint
	Destructive *bool `json:"destructiveHint,omitempty"` // destructiveHint
	Idempotent  *bool `json:"idempotentHint,omitempty"`  // idempotentHint
	OpenWorld   *bool `json:"openWorldHint,omitempty"`   // openWorldHint
}

// String returns readOnlyHint, destructiveHint and openWorldHint as t, f or -,
// such as "tf-".
func (h Hints) String() string {
	var b strings.Builder
	for _, hint := range []*bool{h.ReadOnly, h.Destructive, h.OpenWorld} {
		switch {
		case hint == nil:
			b.WriteByte('-')
		case *hint:
			b.WriteByte('t')
		default:
			b.WriteByte('f')
		}
	}
	return b.String()
}

// An Action is what a host does before a call. The zero value is no action.
type Action string

const (
	// Run calls without a question.
	Run Action = "run"
	// Ask asks the user.
	Ask Action = "ask"
	// Refuse does not call.
	Refuse Action = "refuse"
	// Model lets a language model decide.
	Model Action = "model"
)

// asDefault is the action of a rule that leaves the call to the default mode.
const asDefault Action = "default"

// A Mode is one of a host's approval modes. Its Fact has the source.
type Mode struct {
	Fact
	// Name is the mode's own name or ours, such as "auto".
	Name string `json:"name"`
	// Rules decide by the hints, and the first one that applies counts. Each
	// has t, f, - or * for readOnlyHint, destructiveHint and openWorldHint, a
	// space, and an [Action] or "default", which is that of the first mode.
	Rules []string `json:"rules"`
	// Review has the hints of tools whose results a person sees before the
	// model does. It is empty if there are none.
	Review string `json:"review,omitempty"`
}

// Decide returns what the host does, in one of its modes, before it calls a
// tool with these hints, and whether a person reviews the result before the
// model gets it. The empty mode is the default. The action is empty if the host
// or the mode is not known.
func (h Host) Decide(mode string, hints Hints) (do Action, review bool) {
	for i, m := range h.Modes {
		if m.Name != mode && (mode != "" || i > 0) {
			continue
		}
		do = m.decide(hints.String())
		if do == asDefault {
			do, _ = h.Decide("", hints)
		}
		return do, m.Review != "" && matches(m.Review, hints.String())
	}
	return "", false
}

func (m Mode) decide(hints string) Action {
	for _, rule := range m.Rules {
		if pattern, do, _ := strings.Cut(rule, " "); matches(pattern, hints) {
			return Action(do)
		}
	}
	return ""
}

// heedsHints reports whether the hints change what the mode does.
func (m Mode) heedsHints() bool { return len(m.Rules) > 1 }

func matches(pattern, hints string) bool {
	for i := range min(len(pattern), len(hints)) {
		if pattern[i] != '*' && pattern[i] != hints[i] {
			return false
		}
	}
	return true
}

func isPattern(text string) bool { return len(text) == 3 && strings.Trim(text, "tf-*") == "" }

// isWhole reports whether every rule is well formed and the last one applies to
// all tools.
func (m Mode) isWhole() bool {
	last := ""
	for _, rule := range m.Rules {
		pattern, do, _ := strings.Cut(rule, " ")
		if !isPattern(pattern) || !oneOf(do, "run ask refuse model default") {
			return false
		}
		last = pattern
	}
	return last == "***"
}
