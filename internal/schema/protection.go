package schema

import "slices"

// These annotations publish how a field is protected. Validation ignores them.
const (
	SensitiveKeyword = "x-sensitive"
	SecretKeyword    = "x-secret"
	ReviewKeyword    = "x-review"
)

// ProtectionKeywords returns the annotations that publish how a field is
// protected. The slice belongs to the caller.
func ProtectionKeywords() []string { return []string{SensitiveKeyword, SecretKeyword, ReviewKeyword} }

// IsProtection reports whether a keyword is one of [ProtectionKeywords].
func IsProtection(keyword string) bool { return slices.Contains(ProtectionKeywords(), keyword) }
