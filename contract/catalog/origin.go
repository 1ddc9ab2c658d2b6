package catalog

import "github.com/toolcontract/toolcontract/internal/enum"

// An Origin is where a fact about a tool comes from. The zero value
// means that nothing declares the fact.
type Origin uint8

const (
	// noOrigin means that nothing declares the fact.
	noOrigin Origin = iota
	// FromContract facts come from the contract that the server lists in _meta.
	FromContract
	// FromAnnotations facts come from the keys of gateways in the annotations
	// of the tool: risk_level, content_trust_risk, version, deprecated_since
	// and aliases.
	FromAnnotations
	// FromHints facts follow from the hints that MCP defines, such as
	// readOnlyHint.
	FromHints
	// FromGuess facts are guessed. The server declares nothing, and the
	// strictest value was taken.
	FromGuess
	// FromMemory facts are those of an earlier cycle. They count because the
	// server declares weaker ones now.
	FromMemory
	// FromAdvice facts come from overrides of somebody else than the operator;
	// see [WithAdvice]. They count only if they are stricter.
	FromAdvice
	// FromOperator facts come from the operator's file.
	FromOperator
)

var origins = enum.Of[Origin]("catalog", "origin", "", "contract", "annotations", "hints", "guess", "memory", "advice",
	"operator")

// IsValid reports whether o is a known origin, FromContract to FromOperator.
func (o Origin) IsValid() bool { return origins.IsValid(o) }

// IsZero reports whether nothing declares the fact. With it, `json:",omitzero"`
// leaves the field out.
func (o Origin) IsZero() bool { return o == noOrigin }

// String returns the text of o, such as "hints", and "undeclared" for the zero
// value.
func (o Origin) String() string { return origins.String(o) }

// MarshalText returns the text of o. The zero value has none and is an error.
func (o Origin) MarshalText() ([]byte, error) { return origins.Marshal(o) }

// UnmarshalText sets o from its text. Any other text is an error that lists the
// allowed ones and leaves o unchanged.
func (o *Origin) UnmarshalText(text []byte) error { return origins.Unmarshal(o, text) }
