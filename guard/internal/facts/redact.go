package facts

import (
	"fmt"

	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// Redact returns an author's text about a call without the values of the call's
// sensitive and secret arguments. Each text that an author's code makes during
// a call passes it once, on its way to a caller, a log or telemetry. The
// arguments are nil if they have not been read yet.
func Redact(t *ProtectedTool, args *bound.Arguments, words string) string {
	if t == nil || args == nil || words == "" {
		return words
	}
	return text.Redact(words, t.Impl.Hidden(args.Tree()))
}

// Redact is [Redact] for a text about the call.
func (v *View) Redact(words string) string { return Redact(v.Tool, v.Args, words) }

// RedactSecrets is Redact for a person who confirms the call, and who sees its
// sensitive arguments.
func (v *View) RedactSecrets(words string) string {
	return text.Redact(words, v.Tool.Impl.Secrets(v.Args.Tree()))
}

// RedactTree redacts the strings, the numbers and the member names of plain
// JSON. It reports whether any of them changed.
func (v *View) RedactTree(tree any) (redacted any, changed bool) {
	if v.Args == nil {
		return tree, false
	}
	values := v.Tool.Impl.Hidden(v.Args.Tree())
	if len(values) == 0 {
		return tree, false
	}
	return redactTree(tree, values)
}

func redactTree(tree any, values []string) (redacted any, changed bool) {
	switch value := tree.(type) {
	case nil, bool:
		return tree, false
	case []any:
		items := make([]any, len(value))
		for i, item := range value {
			one, differs := redactTree(item, values)
			items[i], changed = one, changed || differs
		}
		return items, changed
	case map[string]any:
		members := make(map[string]any, len(value))
		for name, member := range value {
			one, differs := redactTree(member, values)
			key := text.Redact(name, values)
			members[key], changed = one, changed || differs || key != name
		}
		return members, changed
	}
	written := fmt.Sprint(tree)
	words := text.Redact(written, values)
	if words == written {
		return tree, false
	}
	return words, true
}
