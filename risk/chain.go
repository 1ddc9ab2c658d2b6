package risk

import (
	"fmt"
	"math"
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
	return c.Join(Chain{Calls: 1, Reversibility: class, Level: level})
}

// Join returns the sum of two chains, such as those of two servers in one
// conversation. A stored chain may have been changed: a negative number counts
// as zero, and a class or level that is missing or unknown counts as the
// highest. A sum never exceeds the largest int.
func (c Chain) Join(other Chain) Chain {
	c = c.known()
	other = other.known()
	return Chain{
		Calls:         c.Calls + min(other.Calls, math.MaxInt-c.Calls),
		Irreversible:  c.Irreversible + min(other.Irreversible, math.MaxInt-c.Irreversible),
		Reversibility: max(c.Reversibility, other.Reversibility), Level: max(c.Level, other.Level),
	}
}

// known returns c as it counts in a sum.
func (c Chain) known() Chain {
	if c != (Chain{}) {
		c.Reversibility = c.Reversibility.Effective()
		c.Level = min(c.Level.rank(), Forbidden)
	}
	if c.Reversibility == Irreversible {
		c.Irreversible = max(c.Irreversible, 1)
	}
	c.Calls = max(c.Calls, 0)
	c.Irreversible = max(c.Irreversible, 0)
	return c
}

// IsValid reports whether no number of c is negative, and its class and level
// are zero or exist.
func (c Chain) IsValid() bool {
	return c.Calls >= 0 && c.Irreversible >= 0 && (c.Reversibility == 0 || c.Reversibility.IsValid()) &&
		(c.Level == 0 || c.Level.IsValid())
}

// Reaches reports whether c is at or above bound in any non-zero field of
// bound. In both, a class or level that does not exist counts as the highest,
// and a negative number as zero.
func (c Chain) Reaches(bound Chain) bool {
	c = c.known()
	return bound.Calls > 0 && c.Calls >= bound.Calls ||
		bound.Irreversible > 0 && c.Irreversible >= bound.Irreversible ||
		bound.Reversibility > 0 && c.Reversibility >= bound.Reversibility.Effective() ||
		bound.Level > 0 && c.Level >= min(bound.Level.rank(), Forbidden)
}

// String describes c for people, such as "9 calls, 4 that cannot be undone,
// highest risk critical", or "no calls".
func (c Chain) String() string {
	c = c.known()
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
