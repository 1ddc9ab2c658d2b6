package operatorlog

import (
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/trust"
)

// Text prepares the text of an error for a log: without the values of sensitive
// and secret arguments, sanitized, at most 1 KiB. The arguments are nil if they
// have not been read yet.
func Text(t *facts.ProtectedTool, args *bound.Arguments, err error) string {
	if err == nil {
		return ""
	}
	plain := facts.Redact(t, args, err.Error())
	plain, _ = trust.Sanitize(text.Cut(plain, text.MaxNote))
	return text.Cut(plain, text.MaxNote)
}
