package risk

import "github.com/toolcontract/toolcontract/internal/enum"

// A Level is how much care a call of a tool needs. The zero value
// means that no level was declared: it ranks above every declared level.
type Level uint8

const (
	// Low is for reads, and for calls without a lasting effect. An agent may
	// call the tool on its own.
	Low Level = iota + 1
	// Medium is for creating data within narrow bounds and without external
	// effects. An agent may call the tool on its own.
	Medium
	// High is for changes that matter to others. A person is asked, unless the
	// tool author declares, with a published reason, that this is not needed.
	High
	// Critical is for external communication, payment, deletion and changes of
	// permissions. A person is always asked.
	Critical
	// Restricted is for tools whose results may be shown only in part: only the
	// output fields that the tool author exposes leave the tool.
	Restricted
	// Forbidden is for tools that an agent may neither call nor find.
	Forbidden
)

var levels = enum.Of[Level]("risk", "level", "", "low", "medium", "high", "critical", "restricted", "forbidden")

// IsValid reports whether l is a declared level, Low to Forbidden.
func (l Level) IsValid() bool { return levels.IsValid(l) }

// AtLeast reports whether a tool of level l needs at least the care of
// threshold. An undeclared or unknown l is at least anything. An undeclared or
// unknown threshold is above Forbidden, so no declared level reaches it: decide
// what an undeclared threshold means before comparing with it.
func (l Level) AtLeast(threshold Level) bool { return l.rank() >= threshold.rank() }

// rank is the level's place in the order of care. All undeclared and unknown
// levels share the highest rank.
func (l Level) rank() Level {
	if l.IsValid() {
		return l
	}
	return Forbidden + 1
}

// String returns the level's text, "undeclared" for the zero value, and a form
// such as "level(42)" for a number that is not a level.
func (l Level) String() string { return levels.String(l) }

// GoString returns the type and the text of l, for test failures.
func (l Level) GoString() string { return levels.GoString(l) }

// MarshalText returns the level's text. An undeclared level is an error,
// because a document leaves the field out; so is a number that is not a level.
func (l Level) MarshalText() ([]byte, error) { return levels.Marshal(l) }

// UnmarshalText sets l from a level's text. Any other text, including
// "undeclared" and other cases, is an error that lists the allowed ones and
// leaves l unchanged.
func (l *Level) UnmarshalText(text []byte) error { return levels.Unmarshal(l, text) }
