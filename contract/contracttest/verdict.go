package contracttest

import (
	"errors"
	"fmt"
)

// A Verdict says whether tools keep a rule of the MCP-first standard. The zero value is [UndeclaredVerdict].
type Verdict uint8

const (
	// UndeclaredVerdict is the zero value. It has no text.
	UndeclaredVerdict Verdict = 0
	// Pass means that the contracts keep the rule.
	Pass Verdict = 1
	// Fail means that at least one of them breaks it.
	Fail Verdict = 2
	// Partial means that what contracts can show of the rule is kept, and that there is more to it.
	Partial Verdict = 3
	// NotJudged means that contracts show nothing of the rule. Its text is "n/a".
	NotJudged Verdict = 4
)

// IsValid reports whether v is one of the verdicts.
func (v Verdict) IsValid() bool { return v >= Pass && v <= NotJudged }

// IsZero reports whether v is undeclared.
func (v Verdict) IsZero() bool { return v == UndeclaredVerdict }

// String returns the text of v, "undeclared" for the zero value, and a form such as "verdict(42)" for a number that is no
// verdict.
func (v Verdict) String() string {
	switch v {
	case UndeclaredVerdict:
		return "undeclared"
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Partial:
		return "partial"
	case NotJudged:
		return "n/a"
	default:
		return fmt.Sprintf("verdict(%d)", uint8(v))
	}
}

// MarshalText returns the text of v. A verdict that is undeclared or unknown has none: an error.
func (v Verdict) MarshalText() ([]byte, error) {
	if !v.IsValid() {
		return nil, fmt.Errorf("contracttest: %v has no text form", v)
	}
	return []byte(v.String()), nil
}

// UnmarshalText sets v from a verdict's text. Any other text, also another case of it, is an error that lists the allowed
// ones and leaves v unchanged.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, known := range []Verdict{Pass, Fail, Partial, NotJudged} {
		if string(text) == known.String() {
			*v = known
			return nil
		}
	}
	return errors.New("contracttest: unknown verdict: allowed are pass, fail, partial, n/a")
}
