package operatorlog

import (
	"context"
	"log/slog"

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
	l.Logger().LogAttrs(ctx, slog.LevelWarn, "toolcontract: a handler returned a failure that its contract does not declare",
		slog.String("tool", tool), slog.String("code", code),
		slog.String("remedy", "declare the failure with Failures, or all others with OtherErrors"))
}
