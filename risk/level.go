package risk

import (
	"errors"
	"fmt"
)

// A Level says how much care a call of a tool needs. The zero value is [UndeclaredLevel].
type Level uint8

const (
	// UndeclaredLevel means that nothing was said. It ranks above every declared level and has no text.
	UndeclaredLevel Level = 0
	// Low is for reading, and for what leaves no lasting effect. An agent may call the tool alone.
	Low Level = 1
	// Medium is for creating data within narrow bounds and without external effects. An agent may call
	// the tool alone.
	Medium Level = 2
	// High is for changing what matters to others. A person is asked unless the author says, with a
	// published reason, that this is not needed.
	High Level = 3
	// Critical is for external communication, payment, deletion and changes of permissions. A person is
	// always asked.
	Critical Level = 4
	// Restricted is for tools whose result may be shown only in part: of the output, only what the
	// author exposes leaves the tool.
	Restricted Level = 5
	// Forbidden is for what an agent may neither call nor find.
	Forbidden Level = 6
)

// Levels returns the declared levels from Low to Forbidden, in a slice that belongs to the caller.
func Levels() []Level {
	return []Level{Low, Medium, High, Critical, Restricted, Forbidden}
}

// IsValid reports whether l is a declared level, Low to Forbidden.
func (l Level) IsValid() bool { return l >= Low && l <= Forbidden }

// IsZero reports whether l is [UndeclaredLevel]. It makes `json:",omitzero"` leave the field out.
func (l Level) IsZero() bool { return l == UndeclaredLevel }

// AtLeast reports whether a tool of level l needs at least the care of threshold. An undeclared or
// unknown l is at least anything. An undeclared or unknown threshold is above Forbidden, so no declared
// level reaches it: decide what an undeclared threshold means before comparing with it.
func (l Level) AtLeast(threshold Level) bool { return l.rank() >= threshold.rank() }

// rank is the level's place in the order of care, with all that is not declared on top.
func (l Level) rank() Level {
	if l.IsValid() {
		return l
	}
	return Forbidden + 1
}

// String returns the level's text, "undeclared" for the zero value, and a form such as "level(42)" for a
// number that is no level.
func (l Level) String() string {
	switch l {
	case UndeclaredLevel:
		return "undeclared"
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Critical:
		return "critical"
	case Restricted:
		return "restricted"
	case Forbidden:
		return "forbidden"
	default:
		return fmt.Sprintf("level(%d)", uint8(l))
	}
}

// MarshalText returns the level's text. An undeclared level has none, for a document leaves the field
// out; it and a number that is no level are errors.
func (l Level) MarshalText() ([]byte, error) {
	if !l.IsValid() {
		return nil, fmt.Errorf("risk: level %v has no text form", l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText sets l from a level's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves l unchanged.
func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "low":
		*l = Low
	case "medium":
		*l = Medium
	case "high":
		*l = High
	case "critical":
		*l = Critical
	case "restricted":
		*l = Restricted
	case "forbidden":
		*l = Forbidden
	default:
		return errors.New("risk: unknown level: allowed are low, medium, high, critical, restricted, forbidden")
	}
	return nil
}
