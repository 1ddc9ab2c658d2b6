// Package enum gives small enums their text forms, and suggests the right word
// for a misspelled one.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Texts holds the text form of every value of the enum T. T's own methods call
// those of the same purpose here. Texts is immutable and safe for concurrent
// use.
type Texts[T ~uint8] struct {
	pkg, kind string
	texts     []string // by value; "" where a value has no text
}

// Of returns the texts of T. The text of the value i is texts[i]; an enum whose
// zero value is undeclared begins with "". Errors name pkg, the package of T,
// and kind, what T is called there.
func Of[T ~uint8](pkg, kind string, texts ...string) Texts[T] {
	return Texts[T]{pkg: pkg, kind: kind, texts: texts}
}

// IsValid reports whether v has a text.
func (t Texts[T]) IsValid(v T) bool { return int(v) < len(t.texts) && t.texts[v] != "" }

// String returns the text of v, "undeclared" for a zero value without a text,
// and a form such as "level(42)" for any other number without one.
func (t Texts[T]) String(v T) string {
	switch {
	case t.IsValid(v):
		return t.texts[v]
	case v == 0:
		return "undeclared"
	default:
		return fmt.Sprintf("%s(%d)", t.kind, uint8(v))
	}
}

// GoString returns the type and the text of v, such as "risk.Level(high)".
func (t Texts[T]) GoString(v T) string { return fmt.Sprintf("%T(%s)", v, t.String(v)) }

// Marshal returns the text of v. A value without a text is an error.
func (t Texts[T]) Marshal(v T) ([]byte, error) {
	if !t.IsValid(v) {
		return nil, fmt.Errorf("%s: %s %d has no text", t.pkg, t.kind, uint8(v))
	}
	return []byte(t.texts[v]), nil
}

// Unmarshal sets v to the value with the given text. Any other text, including
// one that differs in case, is an [*UnknownError] and leaves v unchanged.
func (t Texts[T]) Unmarshal(v *T, text []byte) error {
	i := slices.Index(t.texts, string(text))
	if i < 0 || len(text) == 0 {
		allowed := t.allowed()
		return &UnknownError{
			message: t.pkg + ": unknown " + t.kind + ": allowed are " + strings.Join(allowed, ", "),
			Allowed: allowed,
			Nearest: Nearest(strings.ToLower(string(text)), allowed),
		}
	}
	*v = T(i) //nolint:gosec // a table has far fewer than 256 texts
	return nil
}

func (t Texts[T]) allowed() []string {
	return slices.DeleteFunc(slices.Clone(t.texts), func(text string) bool { return text == "" })
}

// An UnknownError reports a text that is not one of an enum's. It lists the
// allowed texts and does not contain the text that was given.
type UnknownError struct {
	message string
	// Allowed are the texts that are allowed, in the order of their values.
	Allowed []string
	// Nearest is the allowed text that was probably meant, or "".
	Nearest string
}

// Error returns a form such as "risk: unknown level: allowed are low, medium".
func (e *UnknownError) Error() string { return e.message }
