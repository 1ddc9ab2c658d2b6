package ratelimit

import (
	"sync"
	"time"
)

// A steady is a clock that never goes back: its time is the sum of the forward
// steps of another clock. It is safe for concurrent use.
type steady struct {
	clock func() time.Time

	mu   sync.Mutex
	read time.Time // the last reading of clock
	now  time.Time
}

// start sets the time to the first reading.
func (s *steady) start() {
	s.read = s.clock()
	s.now = s.read.Round(0) // a monotonic reading cannot be carried past its range
}

// tick returns the time.
func (s *steady) tick() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := s.clock()
	s.now = s.now.Add(max(0, read.Sub(s.read)))
	s.read = read
	return s.now
}
