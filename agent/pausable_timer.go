package agent

import (
	"sync"
	"time"
)

// A pausableTimer is a timer that pauses while a person decides. It is safe for
// concurrent use.
type pausableTimer struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	since   time.Time
	pauses  int
	stopped bool
}

func newPausableTimer(limit time.Duration, over func()) *pausableTimer {
	return &pausableTimer{timer: time.AfterFunc(limit, over), left: limit, since: time.Now()}
}

// pause stops the clock until the returned function is called. Pauses may
// overlap.
func (p *pausableTimer) pause() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses++; p.pauses == 1 {
		p.timer.Stop()
		p.left = max(p.left-time.Since(p.since), 0)
	}
	return p.resume
}

func (p *pausableTimer) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses--; p.pauses == 0 && !p.stopped {
		p.since = time.Now()
		p.timer.Reset(p.left)
	}
}

func (p *pausableTimer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.timer.Stop()
}
