package trust

import (
	"errors"
	"fmt"
)

// A Level says how far what a tool returns may be trusted. It is about the result, not about the tool.
// The zero value is [Undeclared].
type Level uint8

const (
	// Undeclared means that nothing was said. It behaves as PromptInjectionProne and has no text.
	Undeclared Level = 0
	// Trusted is for results whose every word is the author's own or of the author's systems.
	Trusted Level = 1
	// Untrusted is for results with words of others that were not checked.
	Untrusted Level = 2
	// Sensitive is for results that are trusted but confidential.
	Sensitive Level = 3
	// PromptInjectionProne is for results with words of others where instructions to a model must be
	// expected: web pages, mails, tickets.
	PromptInjectionProne Level = 4
)

// Levels returns the declared levels from Trusted to PromptInjectionProne, in a slice that belongs to
// the caller.
func Levels() []Level { return []Level{Trusted, Untrusted, Sensitive, PromptInjectionProne} }

// IsValid reports whether l is a declared level, Trusted to PromptInjectionProne.
func (l Level) IsValid() bool { return l >= Trusted && l <= PromptInjectionProne }

// IsZero reports whether l is [Undeclared]. It makes `json:",omitzero"` leave the field out.
func (l Level) IsZero() bool { return l == Undeclared }

// Effective returns the level that counts: l where it is declared, else PromptInjectionProne.
func (l Level) Effective() Level {
	if l.IsValid() {
		return l
	}
	return PromptInjectionProne
}

// MayInject reports whether the result may carry instructions to a model: Untrusted,
// PromptInjectionProne, and what is not declared.
func (l Level) MayInject() bool { return l.cautions()&doubt != 0 }

// IsWeakerThan reports whether a change from declared to l would make a consumer less careful, so that it
// is a downgrade. Both count as their [Level.Effective].
//
// The order is partial. Trusted, Untrusted and PromptInjectionProne ask for more care in this order;
// Sensitive asks for another kind, confidentiality. So a change from Sensitive to any other level is
// weaker, and so is one from Untrusted or PromptInjectionProne to Sensitive: each gives up a care that
// was taken.
func (l Level) IsWeakerThan(declared Level) bool { return declared.cautions()&^l.cautions() != 0 }

// caution is a set of the kinds of care that a level asks of a consumer.
type caution uint8

const (
	doubt           caution = 1 << iota // do not take what it says as true
	suspicion                           // expect it to give orders
	confidentiality                     // do not pass it on
)

// cautions are the kinds of care that the level asks for.
func (l Level) cautions() caution {
	switch l.Effective() {
	case Trusted:
		return 0
	case Untrusted:
		return doubt
	case Sensitive:
		return confidentiality
	default:
		return doubt | suspicion
	}
}

// String returns the level's text, "undeclared" for the zero value, and a form such as "level(42)" for a
// number that is no level.
func (l Level) String() string {
	switch l {
	case Undeclared:
		return "undeclared"
	case Trusted:
		return "trusted"
	case Untrusted:
		return "untrusted"
	case Sensitive:
		return "sensitive"
	case PromptInjectionProne:
		return "prompt-injection-prone"
	default:
		return fmt.Sprintf("level(%d)", uint8(l))
	}
}

// MarshalText returns the level's text. An undeclared level has none, for a document leaves the field
// out; it and a number that is no level are errors.
func (l Level) MarshalText() ([]byte, error) {
	if !l.IsValid() {
		return nil, fmt.Errorf("trust: level %v has no text form", l)
	}
	return []byte(l.String()), nil
}

// UnmarshalText sets l from a level's text. Any other text, also another case of it and "undeclared", is
// an error that lists the allowed ones and leaves l unchanged.
func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "trusted":
		*l = Trusted
	case "untrusted":
		*l = Untrusted
	case "sensitive":
		*l = Sensitive
	case "prompt-injection-prone":
		*l = PromptInjectionProne
	default:
		return errors.New("trust: unknown level: allowed are trusted, untrusted, sensitive, prompt-injection-prone")
	}
	return nil
}
