package oldschema

import (
	"cmp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/jsonptr"
)

// A finding is a violation that may not be shown: there may be as many as the value has parts, and each may stand below
// long names. So neither its pointer nor its message is written before it is.
type finding struct {
	location []string // the names and indexes that lead to the value; the validator's, not to be changed
	member   *string  // of the value, where it is the member that is meant; nil where it is the value
	rule     string
	message  func() string
}

func at(e *jsonschema.ValidationError, rule string, message func() string) finding {
	return finding{location: e.InstanceLocation, rule: rule, message: message}
}

func atMember(e *jsonschema.ValidationError, name, rule string, message func() string) finding {
	return finding{location: e.InstanceLocation, member: &name, rule: rule, message: message}
}

// compare orders findings by where they lie, name by name, then by rule.
func (f finding) compare(other finding) int {
	return cmp.Or(f.compareLocation(other), cmp.Compare(f.rule, other.rule))
}

func (f finding) compareLocation(other finding) int {
	for i := range min(f.depth(), other.depth()) {
		if c := cmp.Compare(f.name(i), other.name(i)); c != 0 {
			return c
		}
	}
	return cmp.Compare(f.depth(), other.depth())
}

func (f finding) depth() int {
	if f.member == nil {
		return len(f.location)
	}
	return len(f.location) + 1
}

// name is the i-th name on the way to what is meant.
func (f finding) name(i int) string {
	if i == len(f.location) {
		return *f.member
	}
	return f.location[i]
}

// longestName is more of a name than a printed pointer holds, whatever becomes of its characters.
const longestName = 2 * jsonptr.MaxPrintable

// pointer writes the pointer as it is shown: printable and bounded.
func (f finding) pointer() string {
	var names []string
	for i, length := 0, 0; i < f.depth() && length <= longestName; i++ {
		name := f.name(i)
		if len(name) > longestName {
			name = strings.ToValidUTF8(name[:longestName], "")
		}
		names = append(names, name)
		length += len(name)
	}
	return jsonptr.Printable(jsonptr.Join(names...))
}
