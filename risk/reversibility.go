package risk

import "github.com/toolcontract/toolcontract/internal/enum"

// A Reversibility is how far the changes of a call can be undone: one of the
// four classes of OWASP AISVS 1.0, requirement 9.2.3. The zero value means that
// the class is unknown, and behaves as [Irreversible].
type Reversibility uint8

const (
	// Unchanging calls change nothing: the class "read-only".
	Unchanging Reversibility = iota + 1
	// Reversible calls change only the system itself, which can undo every change.
	Reversible
	// ReversibleOutside calls make changes that can be undone, but not by the
	// system alone, such as a payment that its recipient can return.
	ReversibleOutside
	// Irreversible calls make at least one change that nobody can undo.
	Irreversible
)

var reversibilities = enum.Of[Reversibility]("risk", "reversibility", "",
	"read-only", "reversible", "reversible-outside", "irreversible")

// IsValid reports whether r is one of the four classes.
func (r Reversibility) IsValid() bool { return reversibilities.IsValid(r) }

// Effective returns r if it is one of the four classes, else Irreversible.
func (r Reversibility) Effective() Reversibility {
	if r.IsValid() {
		return r
	}
	return Irreversible
}

// AtLeast reports whether r is at least as hard to undo as threshold. Each is
// compared by its [Reversibility.Effective].
func (r Reversibility) AtLeast(threshold Reversibility) bool {
	return r.Effective() >= threshold.Effective()
}

// String returns the class's text, "undeclared" for the zero value, and a form
// such as "reversibility(42)" for a number that is not a class.
func (r Reversibility) String() string { return reversibilities.String(r) }

// GoString returns the type and the text of r, for test failures.
func (r Reversibility) GoString() string { return reversibilities.GoString(r) }

// MarshalText returns the class's text. The zero value is an error, because a
// document leaves the field out; so is a number that is not a class.
func (r Reversibility) MarshalText() ([]byte, error) { return reversibilities.Marshal(r) }

// UnmarshalText sets r from a class's text. Any other text is an error that
// lists the allowed ones and leaves r unchanged.
func (r *Reversibility) UnmarshalText(text []byte) error { return reversibilities.Unmarshal(r, text) }
