package recorder

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// ReportInterval is the shortest time between two reports of one fault to the
// logger, such as lost events.
const ReportInterval = 10 * time.Second

// A Loss reports that events are lost, or that the sink hangs and may lose
// them.
type Loss struct {
	// Lost is the number of events lost since the last report. It is zero if
	// the sink hangs and the queue still has room.
	Lost int
	// Total is the number of all events lost so far.
	Total int
	// Cause is the last reason. It is never nil.
	Cause error
}

// losses counts lost events and reports them. It is safe for concurrent use.
type losses struct {
	report  func(Loss)
	flushed chan struct{} // closed by flush

	mu        sync.Mutex
	total     int
	lost      int           // since the last report
	cause     error         // nil: there is nothing to report
	reporting chan struct{} // closed when the reporting goroutine ends; nil if there is none
	closed    bool
}

func (l *losses) add(cause error) { l.record(1, cause) }

// note reports that the sink hangs.
func (l *losses) note(cause error) { l.record(0, cause) }

func (l *losses) record(lost int, cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total += lost
	l.lost += lost
	l.cause = cause
	if l.reporting == nil {
		l.reporting = make(chan struct{})
		go l.run(l.reporting)
	}
}

func (l *losses) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// run reports losses until an interval passes without one.
func (l *losses) run(done chan<- struct{}) {
	defer close(done)
	for {
		loss, found := l.next()
		if !found {
			return
		}
		l.report(loss)
		pause := time.NewTimer(ReportInterval)
		select {
		case <-pause.C:
		case <-l.flushed:
		}
		pause.Stop()
	}
}

// next returns the loss to report. If there is none, the reporting goroutine
// must end.
func (l *losses) next() (loss Loss, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause == nil {
		l.reporting = nil
		return Loss{}, false
	}
	loss = Loss{Lost: l.lost, Total: l.total, Cause: l.cause}
	l.lost = 0
	l.cause = nil
	return loss, true
}

// flush reports the remaining losses at once, and waits for that until ctx
// ends.
func (l *losses) flush(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.flushed)
	}
	reporting := l.reporting
	l.mu.Unlock()
	if reporting == nil {
		return nil
	}
	select {
	case <-reporting:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("guard: lost audit events were still being reported: %w", ctx.Err())
	}
}
