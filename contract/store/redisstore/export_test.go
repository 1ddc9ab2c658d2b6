package redisstore

import (
	"strconv"
	"time"
)

// Shift moves the store's clock ahead of the server's. It must not be called
// during an operation.
func (s *Store) Shift(d time.Duration) { s.shift = strconv.FormatInt(d.Microseconds(), 10) }

// Freeze stops the store's clock at an instant. It must not be called during an
// operation.
func (s *Store) Freeze(at time.Time) {
	s.scripts = newScripts("local now = tonumber(ARGV[1])\n", s.limits)
	s.shift = strconv.FormatInt(at.UnixMicro(), 10)
}
