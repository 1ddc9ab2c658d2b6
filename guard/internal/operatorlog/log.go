// Package operatorlog writes log lines for the people who run the server. Lines
// about a call name the call that their context describes.
package operatorlog

import (
	"context"
	"log/slog"

	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// A Log writes lines to the logger of a guard. It is safe for concurrent use.
// [New] makes one.
type Log struct {
	logger  *slog.Logger // nil: slog.Default() at each line
	once    loggedOnce
	limiter lineLimiter
}

// New returns the log of a guard. Without a logger, each line goes to
// [slog.Default].
func New(logger *slog.Logger) *Log { return &Log{logger: logger} }

// Logger returns the logger of the guard, or else the present [slog.Default],
// which a program may set after it made the guard.
func (l *Log) Logger() *slog.Logger {
	if l.logger == nil {
		return slog.Default()
	}
	return l.logger
}

// IsFirst reports whether a fault of a tool has not been logged yet, and
// remembers it.
func (l *Log) IsFirst(tool, fault string) bool { return l.once.isFirst(tool, fault) }

// ReportPanic logs err if it is a contained panic.
func (l *Log) ReportPanic(ctx context.Context, err error) {
	contain.PanicFunc(l.LogPanic).Report(ctx, err)
}

// LogPanic logs a contained panic with its stack, unless one at the same place
// was logged recently; see [lineLimiter]. If the logger panics too, the line is
// lost.
func (l *Log) LogPanic(ctx context.Context, p *contain.PanicError) {
	var ignored error
	defer contain.Recover(&ignored)
	call := callctx.From(ctx)
	where := place{line: placeOf(p.Stack)}
	if call.Tool != nil {
		where.tool = call.Tool.Doc.Name
	}
	if !l.limiter.mayLog(where, l.reportLeftOut) {
		return
	}
	if call.Args == nil {
		p = p.Hidden() // its text could not be redacted
	}
	attrs := []slog.Attr{slog.String("error", Text(call.Tool, call.Args, p)), slog.String("stack", p.Stack)}
	if call.Tool != nil {
		attrs = append([]slog.Attr{slog.String("tool", call.Tool.Doc.Name), slog.String("callId", call.ID)}, attrs...)
	}
	l.Logger().LogAttrs(ctx, slog.LevelError, "toolcontract: a panic was contained", attrs...)
}
