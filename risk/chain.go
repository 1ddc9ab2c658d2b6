package risk

import (
	"fmt"
	"strings"
)

// A Chain sums up the calls of one session, or is a bound on them. The zero
// value is a session without calls, or a bound that no session reaches.
//
// A Chain is a plain value and safe for concurrent use.
type Chain struct {
	// Calls is the number of calls. In a bound, a person is asked from this number
	// on. Zero means no bound. The same goes for the fields below.
	Calls int `json:"calls,omitempty"`
	// Irreversible is the number of calls of class [Irreversible].
	Irreversible int `json:"irreversible,omitempty"`
	// Reversibility is the highest class of any call.
	Reversibility Reversibility `json:"reversibility,omitzero"`
	// Level is the highest risk of any call.
	Level Level `json:"risk,omitzero"`
}

// After returns c with one more call, of this class and risk. An unknown class
// or level counts as the highest.
func (c Chain) After(class Reversibility, level Level) Chain {
	return c.Join(Chain{Calls: 1, Reversibility: class.Effective(), Level: min(level.rank(), Forbidden)})
}

// Join returns the sum of two chains, such as those of two servers in one
// conversation.
func (c Chain) Join(other Chain) Chain {
	if other.Reversibility == Irreversible {
		other.Irreversible = max(other.Irreversible, 1)
	}
	return Chain{
		Calls: c.Calls + other.Calls, Irreversible: c.Irreversible + other.Irreversible,
		Reversibility: max(c.Reversibility, other.Reversibility), Level: max(c.Level, other.Level),
	}
}

// Reaches reports whether c is at or above bound in any non-zero field of
// bound.
func (c Chain) Reaches(bound Chain) bool {
	return bound.Calls > 0 && c.Calls >= bound.Calls ||
		bound.Irreversible > 0 && c.Irreversible >= bound.Irreversible ||
		bound.Reversibility > 0 && c.Reversibility >= bound.Reversibility ||
		bound.Level > 0 && c.Level >= bound.Level
}

// String describes c for people, such as "9 calls, 4 that cannot be undone,
// highest risk critical", or "no calls".
func (c Chain) String() string {
	if c.Calls == 0 {
		return "no calls"
	}
	parts := []string{fmt.Sprintf("%d calls", c.Calls)}
	if c.Calls == 1 {
		parts[0] = "1 call"
	}
	switch {
	case c.Irreversible > 0:
		parts = append(parts, fmt.Sprintf("%d that cannot be undone", c.Irreversible))
	case c.Reversibility == Unchanging:
		parts = append(parts, "no changes")
	case c.Reversibility == Reversible:
		parts = append(parts, "changes can be undone")
	case c.Reversibility == ReversibleOutside:
		parts = append(parts, "changes can be undone, some only with help from outside")
	}
	return strings.Join(append(parts, "highest risk "+c.Level.String()), ", ")
}
