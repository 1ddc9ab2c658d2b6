package sqlstore

import (
	"runtime"
	"time"
)

// Freeze makes now the store's clock. A sweep beside an earlier operation has
// ended then.
func (s *Store) Freeze(now int64) {
	for !s.sweeping.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	defer s.sweeping.Store(false)
	s.tell = func(int64) int64 { return now }
	s.told = now
}

// Shift moves the store's clock ahead. It must not be called during an
// operation.
func (s *Store) Shift(d time.Duration) {
	tell := s.tell
	s.tell = func(clock int64) int64 { return tell(clock) + int64(d) }
	s.told -= int64(d)
}
