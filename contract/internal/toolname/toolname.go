// Package toolname has the form of tool names. A definition's ID has it too.
package toolname

import "regexp"

// MaxLength is the length of the longest tool name, in bytes.
const MaxLength = 128

var pattern = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// IsValid reports whether name has 1 to [MaxLength] of A-Z a-z 0-9 _ . - with
// no empty part between dots.
func IsValid(name string) bool { return len(name) <= MaxLength && pattern.MatchString(name) }
