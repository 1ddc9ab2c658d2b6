package guard

import (
	"context"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/panics"
)

// The lines that the guard writes to its logger, for people who run the server.

// log returns the logger of [WithLogger].
func (s *settings) log() *slog.Logger {
	if s.logger == nil {
		return slog.Default()
	}
	return s.logger
}

// A logged names the call that a context belongs to, for lines of the log. It
// does not change, because a function of an author may outlive its call.
type logged struct {
	tool *protectedTool
	id   string           // the id of the call in the audit log
	args *bound.Arguments // nil before Validate
}

// reportPanic logs err if it is a contained panic.
func (g *Guard) reportPanic(ctx context.Context, err error) {
	contain.PanicFunc(g.panicked).Report(ctx, err)
}

// panicked logs a contained panic with its stack, unless one at the same place
// was logged a short while ago; see [panicLog]. A logger that panics too loses
// the line.
func (g *Guard) panicked(ctx context.Context, p *panics.Error) {
	var ignored error
	defer panics.Recover(&ignored)
	l := loggedFrom(ctx)
	place := panicPlace{at: placeOf(p.Stack)}
	if l.tool != nil {
		place.tool = l.tool.doc.Name
	}
	if !g.panics.mayLog(place, g.reportLeftOut) {
		return
	}
	if l.args == nil {
		p = p.Hidden() // its text could not be redacted
	}
	attrs := []slog.Attr{slog.String("error", logText(l.tool, l.args, p)), slog.String("stack", p.Stack)}
	if l.tool != nil {
		attrs = append([]slog.Attr{slog.String("tool", l.tool.doc.Name), slog.String("callId", l.id)}, attrs...)
	}
	g.log().LogAttrs(ctx, slog.LevelError, "toolcontract: a panic was contained", attrs...)
}
