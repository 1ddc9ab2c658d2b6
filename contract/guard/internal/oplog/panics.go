package oplog

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// maxPanicPlaces bounds how many places are remembered. Further places count as
// one.
const maxPanicPlaces = 256

// A panicPlace is where a panic happened. The zero value is the place that all
// further places share.
type panicPlace struct {
	tool string // empty: outside a call
	at   string // the file and line that panicked
}

// A panicLog decides which panics are logged, because a caller can make a tool
// panic as often as it calls it. Of each place one panic is logged, and the
// others are counted for [recorder.ReportInterval]. The zero value is empty and
// ready to use. It is safe for concurrent use.
type panicLog struct {
	mu     sync.Mutex
	places map[panicPlace]*panicCount
}

// A panicCount is a place whose interval has not ended.
type panicCount struct {
	leftOut int
	timer   *time.Timer
}

// mayLog reports whether to log a panic. If not, it is counted, and ended gets
// the count when the interval ends.
func (l *panicLog) mayLog(place panicPlace, ended func(panicPlace, int)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[place] == nil && len(l.places) >= maxPanicPlaces {
		place = panicPlace{}
	}
	if c := l.places[place]; c != nil {
		c.leftOut++
		return false
	}
	if l.places == nil {
		l.places = map[panicPlace]*panicCount{}
	}
	c := &panicCount{}
	c.timer = time.AfterFunc(recorder.ReportInterval, func() { ended(place, l.end(place, c)) })
	l.places[place] = c
	return true
}

// end forgets a place and returns how many panics were left out.
func (l *panicLog) end(place panicPlace, c *panicCount) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[place] != c { // flush has ended it
		return 0
	}
	delete(l.places, place)
	return c.leftOut
}

// flush ends all intervals and returns the counts.
func (l *panicLog) flush() map[panicPlace]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[panicPlace]int{}
	for place, c := range l.places {
		c.timer.Stop()
		counts[place] = c.leftOut
	}
	clear(l.places)
	return counts
}

// reportLeftOut logs how many panics were not logged. A logger that panics
// loses the line.
func (l *Log) reportLeftOut(place panicPlace, n int) {
	if n == 0 {
		return
	}
	var ignored error
	defer contain.Recover(&ignored)
	attrs := []slog.Attr{slog.String("at", place.at), slog.Int("leftOut", n)}
	if place.tool != "" {
		attrs = append([]slog.Attr{slog.String("tool", place.tool)}, attrs...)
	}
	l.Logger().LogAttrs(context.Background(), slog.LevelError, "toolcontract: more panics were contained", attrs...)
}

// FlushPanics logs how many panics were not logged yet. contained runs a
// function that calls the logger, so that one that hangs does not hold up
// Close.
func (l *Log) FlushPanics(contained func(report func())) {
	counts := l.panics.flush()
	contained(func() {
		for _, place := range slices.SortedFunc(maps.Keys(counts), func(a, b panicPlace) int {
			return cmp.Or(cmp.Compare(a.tool, b.tool), cmp.Compare(a.at, b.at))
		}) {
			l.reportLeftOut(place, counts[place])
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
