package declare

import "regexp"

// MaxName is the maximum length of a tool name, in bytes.
const MaxName = 128

// Oldest returns a tool's oldest name: its first alias, because aliases are
// declared oldest first, or its name if it has none. Records of calls belong to
// this name, so they survive a rename.
func Oldest(name string, aliases []string) string {
	if len(aliases) > 0 {
		return aliases[0]
	}
	return name
}

var pattern = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// IsName reports whether name is that of a tool, or the ID of a definition: it
// has 1 to [MaxName] of A-Z a-z 0-9 _ . - with no empty part between dots.
func IsName(name string) bool { return len(name) <= MaxName && pattern.MatchString(name) }
