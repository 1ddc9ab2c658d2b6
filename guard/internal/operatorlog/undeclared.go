package operatorlog

import (
	"context"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/trust"
)

// maxCode bounds the code of a failure in the log, in bytes.
const maxCode = 128

// WarnUndeclared logs, once for each tool and code, that a handler returned a
// failure that its contract does not declare. The caller got internal_error.
func (l *Log) WarnUndeclared(ctx context.Context, tool, code string) {
	code, _ = trust.Sanitize(text.Cut(code, maxCode))
	if !l.once.isFirst(tool, "failure "+code) {
		return
	}
	remedy := "declare the failure with Failures, or all others with OtherErrors"
	if code == contract.CodeConfirmationRequired { // of contract.Ask
		remedy = "declare Asks on a tool of contract.New; other handlers ask through their SDK"
	}
	l.Logger().LogAttrs(ctx, slog.LevelWarn, "toolcontract: a handler returned a failure that its contract does not declare",
		slog.String("tool", tool), slog.String("code", code), slog.String("remedy", remedy))
}
