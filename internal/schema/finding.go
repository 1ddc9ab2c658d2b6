package schema

import (
	"cmp"
	"strings"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A finding is a violation that may never be shown. A value can have a finding
// for each of its parts, below long names, so a finding builds its pointer and
// its message only when it is shown.
type finding struct {
	location []string // names and indexes leading to the value; owned by the validator
	member   *string  // the member of the value that the finding is about, or nil
	rule     string
	message  func() string
	form     string // the union branch that the violation is in, or ""
}

// text returns the message, including the branch.
func (f finding) text() string {
	if f.form == "" {
		return f.message()
	}
	return f.message() + " (in " + f.form + ")"
}

// findingAt returns a finding about the value of an error.
func findingAt(e *santhosh.ValidationError, keyword string, message func() string) finding {
	return finding{location: e.InstanceLocation, rule: "schema." + keyword, message: message}
}

// findingAtMember returns a finding about a member of the value, which may be absent.
func findingAtMember(e *santhosh.ValidationError, name, keyword string, message func() string) finding {
	f := findingAt(e, keyword, message)
	f.member = &name
	return f
}

func atMembers(e *santhosh.ValidationError, names []string, keyword string, message func() string) []finding {
	findings := make([]finding, 0, len(names))
	for _, name := range names {
		findings = append(findings, findingAtMember(e, name, keyword, message))
	}
	return findings
}

// compare orders findings by location, name by name, then by rule.
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

// name returns the i-th name of the location, including the member.
func (f finding) name(i int) string {
	if i == len(f.location) {
		return *f.member
	}
	return f.location[i]
}

// longestName is the number of bytes after which a name is cut. A printed
// pointer is always shorter.
const longestName = 2 * strictjson.MaxPrintablePointer

// pointer returns the JSON Pointer in the form that is shown: printable and
// bounded.
func (f finding) pointer() string {
	names := make([]string, 0, f.depth())
	for i, length := 0, 0; i < f.depth() && length <= longestName; i++ {
		name := f.name(i)
		if len(name) > longestName {
			name = strings.ToValidUTF8(name[:longestName], "")
		}
		names = append(names, name)
		length += len(name)
	}
	return strictjson.PrintablePointer(strictjson.Pointer("", names...))
}
