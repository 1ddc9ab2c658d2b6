package facts

import (
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// Redact removes the values of a call's sensitive and secret arguments from a
// text. Each text that the author's code produces during a call passes through
// it once, on its way to a caller, a log or telemetry. args is nil if the
// arguments have not been read yet.
func Redact(t *ProtectedTool, args *bound.Arguments, words string) string {
	if t == nil || args == nil || words == "" {
		return words
	}
	return text.Redact(words, t.Impl.Hidden(args.Tree()))
}

// Redact is [Redact] for the call's own arguments.
func (v *View) Redact(words string) string { return Redact(v.Tool, v.Args, words) }

// Redactor returns [View.Redact] for the texts of one result, which count as one
// text for its bounds.
func (v *View) Redactor() func(words string) string {
	values := v.Tool.Impl.Hidden(v.Args.Tree())
	size := 0
	return func(words string) string {
		size += len(words)
		return text.RedactPart(words, size, values)
	}
}

// RedactSecrets is Redact for the person who confirms the call, who may see its
// sensitive arguments.
func (v *View) RedactSecrets(words string) string {
	return text.Redact(words, v.Tool.Impl.Secrets(v.Args.Tree()))
}
