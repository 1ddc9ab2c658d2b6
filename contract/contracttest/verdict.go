package contracttest

import "github.com/toolcontract/toolcontract/internal/enum"

// A Verdict is whether tools follow a rule of the MCP-first standard. The zero
// value is [UndeclaredVerdict].
type Verdict uint8

const (
	// UndeclaredVerdict is the zero value. It has no text.
	UndeclaredVerdict Verdict = iota
	// Pass means that the contracts follow the rule.
	Pass
	// Fail means that at least one contract breaks the rule.
	Fail
	// Partial means that the contracts follow the part of the rule that they
	// can show, and that the rule demands more.
	Partial
	// NotJudged means that contracts show nothing about the rule. Its text is
	// "n/a".
	NotJudged
)

var verdicts = enum.Of[Verdict]("contracttest", "verdict", "", "pass", "fail", "partial", "n/a")

// IsValid reports whether v is one of the verdicts.
func (v Verdict) IsValid() bool { return verdicts.IsValid(v) }

// IsZero reports whether v is undeclared.
func (v Verdict) IsZero() bool { return v == UndeclaredVerdict }

// String returns the text of v, "undeclared" for the zero value, and a form
// such as "verdict(42)" for a number that is not a verdict.
func (v Verdict) String() string { return verdicts.String(v) }

// MarshalText returns the text of v. An undeclared or unknown verdict is an
// error.
func (v Verdict) MarshalText() ([]byte, error) { return verdicts.Marshal(v) }

// UnmarshalText sets v from a verdict's text. Any other text, in another case
// too, is an error that lists the allowed ones and leaves v unchanged.
func (v *Verdict) UnmarshalText(text []byte) error { return verdicts.Unmarshal(v, text) }
