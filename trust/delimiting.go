package trust

import "github.com/toolcontract/toolcontract/internal/enum"

// A Delimiting selects which texts of a tool's results and errors are put
// between the lines of [Delimit]. If it is zero, the trust in the results
// decides; see [Delimiting.Effective].
type Delimiting uint8

const (
	// DelimitNever leaves every text as it is, for clients whose programs read
	// a text, such as an address or JSON.
	DelimitNever Delimiting = iota + 1
	// DelimitText delimits plain text, the text of embedded resources, and the
	// texts of errors. A text that is the JSON of structured content stays as
	// it is.
	DelimitText
	// DelimitAll also delimits the text of structured content. The structured
	// content itself stays as it is.
	DelimitAll
)

var delimitings = enum.Of[Delimiting]("trust", "delimiting", "", "never", "text", "all")

// IsValid reports whether d is declared, DelimitNever to DelimitAll.
func (d Delimiting) IsValid() bool { return delimitings.IsValid(d) }

// Effective returns d if it is declared. Otherwise it returns DelimitText for
// results that may carry instructions to a model, and DelimitNever for others;
// see [Level.MayInject].
func (d Delimiting) Effective(l Level) Delimiting {
	switch {
	case d.IsValid():
		return d
	case l.MayInject():
		return DelimitText
	}
	return DelimitNever
}

// String returns the text of d, "undeclared" for the zero value.
func (d Delimiting) String() string { return delimitings.String(d) }

// MarshalText returns the text of d. An undeclared or unknown value is an
// error, because a document leaves an undeclared clause out.
func (d Delimiting) MarshalText() ([]byte, error) { return delimitings.Marshal(d) }

// UnmarshalText sets d from its text. Any other text is an error and leaves d
// unchanged.
func (d *Delimiting) UnmarshalText(text []byte) error { return delimitings.Unmarshal(d, text) }
