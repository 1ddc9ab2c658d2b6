package risk

import (
	"fmt"
	"strconv"
)

// A SecurityLevel is the number 0 to 10 with which the MCP Tool Definition
// Specification 1.0.0 declares what a call must prove: from 1 who the caller
// is, from 4 what the caller may do, from 8 a confirmation or a step-up.
//
// The zero value demands nothing beyond the contract's other clauses. A number
// above [MaxSecurityLevel] is not valid and behaves as the strictest. In JSON
// it is a plain number; check a number that was read with
// [SecurityLevel.IsValid].
type SecurityLevel uint8

// MaxSecurityLevel is the strictest valid security level.
const MaxSecurityLevel SecurityLevel = 10

// IsValid reports whether s is 0 to 10.
func (s SecurityLevel) IsValid() bool { return s <= MaxSecurityLevel }

// NeedsPrincipal reports whether the caller must be authenticated: from 1.
func (s SecurityLevel) NeedsPrincipal() bool { return s >= 1 }

// NeedsPermissions reports whether the caller's permissions must be checked:
// from 4.
func (s SecurityLevel) NeedsPermissions() bool { return s >= 4 }

// NeedsVerification reports whether a confirmation or a step-up is needed: from
// 8.
func (s SecurityLevel) NeedsVerification() bool { return s >= 8 }

// String returns the decimal number, and a form such as "securityLevel(42)" for
// one that is not valid.
func (s SecurityLevel) String() string {
	if !s.IsValid() {
		return fmt.Sprintf("securityLevel(%d)", uint8(s))
	}
	return strconv.Itoa(int(s))
}
