package contract

// A Class says what a caller may do after a failure. The two classes are
// those of agent loops that tell a retryable tool error from a fatal one.
type Class uint8

const (
	// UndeclaredClass is the zero value. It is treated as [ClassFatal] and is
	// no class a failure can be declared with.
	UndeclaredClass Class = iota
	// ClassRetryable failures can be corrected by the model, or repeated
	// after a stated delay.
	ClassRetryable
	// ClassFatal failures cannot be helped by repeating: the run should stop.
	ClassFatal
)

var classTexts = [...]string{"", "retryable", "fatal"}

// IsValid reports whether c is one of the declared classes.
func (c Class) IsValid() bool { return c == ClassRetryable || c == ClassFatal }

// IsZero reports whether c is undeclared.
func (c Class) IsZero() bool { return c == UndeclaredClass }

// String returns the wire text of c, "undeclared" for the zero value.
func (c Class) String() string { return enumString("class", classTexts[:], uint8(c)) }

// MarshalText returns the wire text of c. An undeclared or unknown class is
// an error: a document leaves an undeclared clause out.
func (c Class) MarshalText() ([]byte, error) { return enumMarshal("class", classTexts[:], uint8(c)) }

// UnmarshalText sets c from its wire text. Any other text is an error and
// leaves c unchanged.
func (c *Class) UnmarshalText(text []byte) error {
	return enumUnmarshal("class", classTexts[:], text, (*uint8)(c))
}
