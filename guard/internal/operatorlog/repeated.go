package operatorlog

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// maxPlaces bounds how many places are remembered. Further places count as one.
const maxPlaces = 256

// A place is where a panic happened, or why calls could not be answered. The
// zero value is the place that all further places share.
type place struct {
	tool string // empty: outside a call, or any tool
	line string // the file and line that panicked
	code string // the code of the answer. Empty: a panic
	why  string // the reason for that answer
}

// A lineLimiter limits lines that a caller could cause with every call. It lets
// one line per place through in [recorder.ReportInterval], and counts the
// others. The zero value is ready to use. It is safe for concurrent use.
type lineLimiter struct {
	mu     sync.Mutex
	places map[place]*lineCount
}

// A lineCount is a place whose interval has not ended.
type lineCount struct {
	leftOut int
	timer   *time.Timer
}

// mayLog reports whether to log a line. If not, the line is counted, and ended
// gets the count when the interval ends.
func (l *lineLimiter) mayLog(where place, ended func(place, int)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[where] == nil && len(l.places) >= maxPlaces {
		where = place{}
	}
	if c := l.places[where]; c != nil {
		c.leftOut++
		return false
	}
	if l.places == nil {
		l.places = map[place]*lineCount{}
	}
	c := &lineCount{}
	c.timer = time.AfterFunc(recorder.ReportInterval, func() { ended(where, l.end(where, c)) })
	l.places[where] = c
	return true
}

// end forgets a place and returns how many lines were left out.
func (l *lineLimiter) end(where place, c *lineCount) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[where] != c { // flush has ended it
		return 0
	}
	delete(l.places, where)
	return c.leftOut
}

// flush ends all intervals and returns the counts.
func (l *lineLimiter) flush() map[place]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[place]int{}
	for where, c := range l.places {
		c.timer.Stop()
		counts[where] = c.leftOut
	}
	clear(l.places)
	return counts
}

// WarnUnanswered logs why the server could not answer a call as it should, at
// most once in [recorder.ReportInterval] for each reason. A panic gets its own
// line. If the logger panics, the line is lost.
func (l *Log) WarnUnanswered(ctx context.Context, code, why string, cause error) {
	var ignored error
	defer contain.Recover(&ignored)
	if _, ok := errors.AsType[*contain.PanicError](cause); ok {
		return
	}
	if !l.limiter.mayLog(place{code: code, why: why}, l.reportLeftOut) {
		return
	}
	call := callctx.From(ctx)
	attrs := []slog.Attr{slog.String("code", code), slog.String("reason", why)}
	if call.Tool != nil {
		attrs = append([]slog.Attr{slog.String("tool", call.Tool.Doc.Name), slog.String("callId", call.ID)}, attrs...)
	}
	if cause != nil {
		attrs = append(attrs, slog.String("error", Text(call.Tool, call.Args, cause)))
	}
	l.Logger().LogAttrs(ctx, slog.LevelWarn, "toolcontract: a call could not be answered", attrs...)
}

// foreign is the place of all lines of [Log.WarnForeignState].
var foreign = place{why: "another process"}

// WarnForeignState logs that a client has sent a state or a token of another
// process, at most once in [recorder.ReportInterval]. If the logger panics, the
// line is lost.
func (l *Log) WarnForeignState() {
	var ignored error
	defer contain.Recover(&ignored)
	if l.limiter.mayLog(foreign, l.reportLeftOut) {
		l.Logger().Warn("toolcontract: a client sent a state or a token that another process seems to have made, such as another "+
			"replica or this server before a restart; it does not count here",
			"remedy", "pass the same guard.WithSealingKeys, and a store that they share to guard.WithStore, in every process")
	}
}

// reportLeftOut logs how many lines about a place were left out. If the logger
// panics, the line is lost.
func (l *Log) reportLeftOut(of place, n int) {
	if n == 0 || of == foreign {
		return
	}
	var ignored error
	defer contain.Recover(&ignored)
	level, message := slog.LevelError, "toolcontract: more panics were contained"
	attrs := []slog.Attr{slog.String("at", of.line), slog.Int("leftOut", n)}
	switch {
	case of.code != "":
		level, message = slog.LevelWarn, "toolcontract: more calls could not be answered"
		attrs[0] = slog.String("code", of.code)
		attrs = append(attrs, slog.String("reason", of.why))
	case of.tool != "":
		attrs = append([]slog.Attr{slog.String("tool", of.tool)}, attrs...)
	}
	l.Logger().LogAttrs(context.Background(), level, message, attrs...)
}

// Flush logs how many lines were left out since the last count. It calls the
// logger through contained, so that a hanging logger does not hold up Close.
func (l *Log) Flush(contained func(report func())) {
	counts := l.limiter.flush()
	contained(func() {
		// By text: another type to sort would be 40 kB of a user's binary.
		named := map[string]place{}
		for where := range counts {
			named[strings.Join([]string{where.tool, where.line, where.code, where.why}, "\x00")] = where
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			where := named[name]
			l.reportLeftOut(where, counts[where])
		}
	})
}

// placeOf returns the innermost file and line of a stack that is not in package
// runtime.
func placeOf(stack string) string {
	lines := strings.Split(stack, "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		if !strings.HasPrefix(lines[i], "runtime.") {
			return strings.TrimSpace(lines[i+1])
		}
	}
	return ""
}
