package declare

import "regexp"

// MaxName is the length of the longest tool name, in bytes.
const MaxName = 128

var pattern = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// IsName reports whether name is that of a tool, or the ID of a definition: it
// has 1 to [MaxName] of A-Z a-z 0-9 _ . - with no empty part between dots.
func IsName(name string) bool { return len(name) <= MaxName && pattern.MatchString(name) }
