package catalog

import (
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/toolname"
)

// folded returns the form by which two names collide. Hosts can list "a.b" as
// "a_b", and people do not distinguish case.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer(".", "_", "-", "_").Replace(name))
}

// A registry has the names of a catalogue. A name belongs to the tool that had
// it first, so that no server can take the name of another one's tool.
type registry map[string]bool

// name returns the name of a new tool, and false if no name is free.
func (r registry) name(source Source, tool string) (string, bool) {
	candidates := []string{tool, source.Name + "." + tool}
	if source.Prefix {
		candidates = candidates[1:]
	}
	for _, name := range candidates {
		if toolname.IsValid(name) && !r[folded(name)] {
			r[folded(name)] = true
			return name, true
		}
	}
	return "", false
}
