package agent

import (
	"sync"
	"time"
)

// A patience is a timer that stops while a person decides. It is safe for
// concurrent use.
type patience struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration
	since   time.Time
	pauses  int
	stopped bool
}

func newPatience(limit time.Duration, over func()) *patience {
	return &patience{timer: time.AfterFunc(limit, over), left: limit, since: time.Now()}
}

// pause stops the clock. The returned function lets it run again.
func (p *patience) pause() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses++; p.pauses == 1 {
		p.timer.Stop()
		p.left = max(p.left-time.Since(p.since), 0)
	}
	return p.resume
}

func (p *patience) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pauses--; p.pauses == 0 && !p.stopped {
		p.since = time.Now()
		p.timer.Reset(p.left)
	}
}

func (p *patience) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.timer.Stop()
}
