package sqlstore

import "time"

// Freeze makes now the store's clock.
func (s *Store) Freeze(now int64) {
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
