package verify

import (
	"path/filepath"
	"strings"

	"github.com/toolcontract/toolcontract/verify/internal/state"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// An allowance names an effect that does not count.
type allowance struct{ effect, reason string }

// ofState is the prefix of an allowance for a part of the state.
const ofState = "state "

// coversState reports whether the allowance names the part of the state that
// differs.
func (a allowance) coversState(d state.Difference) bool {
	part, ok := strings.CutPrefix(a.effect, ofState)
	return ok && (matches(part, d.Path) || matches(part+".*", d.Path) || matches(part+"[*", d.Path))
}

// coversEvent reports whether the allowance names an event. The witness knows
// the paths and addresses of its events; requests and patterns are matched
// here.
func (a allowance) coversEvent(e witness.Event) bool {
	switch {
	case strings.HasPrefix(a.effect, ofState):
		return false
	case e.Method != "" && matches(a.effect, e.Method+" "+e.Address):
		return true
	case e.Address != "":
		host, _, _ := strings.Cut(e.Address, ":")
		return witness.Allowance{Address: a.effect}.Covers(e) || matches(a.effect, e.Address) ||
			matches(a.effect, host)
	case strings.Contains(a.effect, "*"):
		root, err := filepath.Abs(a.effect)
		return err == nil && (matches(root, e.Path) || matches(root+string(filepath.Separator)+"*", e.Path)) &&
			(e.To == "" || matches(root, e.To) || matches(root+string(filepath.Separator)+"*", e.To))
	}
	return witness.Allowance{Path: a.effect}.Covers(e)
}

// matches reports whether text matches a pattern in which a star matches any
// text.
func matches(pattern, text string) bool {
	first, rest, hasStar := strings.Cut(pattern, "*")
	if !hasStar {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for i := 0; i <= len(text); i++ {
		if matches(rest, text[i:]) {
			return true
		}
	}
	return false
}
