package contract

import "github.com/toolcontract/toolcontract/internal/enum"

// A SideEffect is one change of state outside a tool's return value.
type SideEffect struct {
	// Description says what changes, for people and models. Required.
	Description string `json:"description"`
	// Reach says whether the change leaves the system. Undeclared counts as
	// [External].
	Reach Reach `json:"reach,omitzero"`
	// Undo says whether the change can be taken back. Undeclared counts as
	// [Irreversible].
	Undo Undo `json:"undo,omitzero"`
	// OnRepeat says what a second call with the same arguments does.
	OnRepeat string `json:"onRepeat,omitempty"`
	// Affects names whom or what the change concerns.
	Affects string `json:"affects,omitempty"`
}

// A Reach says how far a side effect goes.
type Reach uint8

const (
	// UndeclaredReach is the zero value and counts as [External].
	UndeclaredReach Reach = iota
	// Internal effects stay within the system that serves the tool.
	Internal
	// External effects reach people or systems outside it.
	External
)

var reaches = enum.Of[Reach]("contract", "reach", "", "internal", "external")

// IsValid reports whether r is a declared reach.
func (r Reach) IsValid() bool { return reaches.IsValid(r) }

// IsZero reports whether r is undeclared.
func (r Reach) IsZero() bool { return r == UndeclaredReach }

// Effective returns the reach that counts: r if it is declared, else External.
func (r Reach) Effective() Reach {
	if r.IsValid() {
		return r
	}
	return External
}

// String returns the wire text of r, "undeclared" for the zero value.
func (r Reach) String() string { return reaches.String(r) }

// MarshalText returns the wire text of r; undeclared is an error.
func (r Reach) MarshalText() ([]byte, error) { return reaches.Marshal(r) }

// UnmarshalText sets r from its wire text. Any other text is an error and
// leaves r unchanged.
func (r *Reach) UnmarshalText(text []byte) error { return reaches.Unmarshal(r, text) }

// An Undo says whether a side effect can be taken back.
type Undo uint8

const (
	// UndeclaredUndo is the zero value and counts as [Irreversible].
	UndeclaredUndo Undo = iota
	// Reversible effects can be taken back.
	Reversible
	// Irreversible effects cannot.
	Irreversible
)

var undos = enum.Of[Undo]("contract", "undo", "", "reversible", "irreversible")

// IsValid reports whether u is declared.
func (u Undo) IsValid() bool { return undos.IsValid(u) }

// IsZero reports whether u is undeclared.
func (u Undo) IsZero() bool { return u == UndeclaredUndo }

// Effective returns the value that counts: u if it is declared, else
// Irreversible.
func (u Undo) Effective() Undo {
	if u.IsValid() {
		return u
	}
	return Irreversible
}

// String returns the wire text of u, "undeclared" for the zero value.
func (u Undo) String() string { return undos.String(u) }

// MarshalText returns the wire text of u; undeclared is an error.
func (u Undo) MarshalText() ([]byte, error) { return undos.Marshal(u) }

// UnmarshalText sets u from its wire text. Any other text is an error and
// leaves u unchanged.
func (u *Undo) UnmarshalText(text []byte) error { return undos.Unmarshal(u, text) }
