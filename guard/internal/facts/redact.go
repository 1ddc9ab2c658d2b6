package facts

import (
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
