package trust

import "github.com/toolcontract/toolcontract/internal/enum"

// A Level is how far the result of a tool may be trusted. It describes the
// result, not the tool. The zero value means that no level
// was declared. It behaves as [PromptInjectionProne].
type Level uint8

const (
	// Trusted is for results in which every word comes from the tool author or
	// the tool author's systems.
	Trusted Level = iota + 1
	// Untrusted is for results with other people's words that were not checked.
	Untrusted
	// Sensitive is for results that are trusted but confidential.
	Sensitive
	// PromptInjectionProne is for results with other people's words in which
	// instructions to a model must be expected: web pages, mails, tickets.
	PromptInjectionProne
)

var levels = enum.Of[Level]("trust", "level", "", "trusted", "untrusted", "sensitive", "prompt-injection-prone")

// IsValid reports whether l is a declared level, Trusted to
// PromptInjectionProne.
func (l Level) IsValid() bool { return levels.IsValid(l) }

// Effective returns l if it is declared, else PromptInjectionProne.
func (l Level) Effective() Level {
	if l.IsValid() {
		return l
	}
	return PromptInjectionProne
}

// MayInject reports whether the result may carry instructions to a model: true
// for Untrusted, PromptInjectionProne, and an undeclared or unknown level.
func (l Level) MayInject() bool { return l.cautions()&doubt != 0 }

// IsWeakerThan reports whether a change from declared to l would make a
// consumer less careful, so that it is a downgrade. Each is compared by its
// [Level.Effective].
//
// The order is partial. Trusted, Untrusted and PromptInjectionProne demand more
// care in this order; Sensitive demands another kind, confidentiality. So a
// change from Sensitive to any other level is weaker. A change from Untrusted
// or PromptInjectionProne to Sensitive is weaker too, because it gives up
// caution about the content.
func (l Level) IsWeakerThan(declared Level) bool { return declared.cautions()&^l.cautions() != 0 }

// caution is a set of the kinds of care that a level demands of a consumer.
type caution uint8

const (
	doubt           caution = 1 << iota // do not take the content as true
	suspicion                           // expect the content to give instructions
	confidentiality                     // do not pass the content on
)

// cautions returns the kinds of care that the level demands.
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
