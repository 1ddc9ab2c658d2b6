package redisstore

import (
	"strconv"
	"time"
)

// Shift moves the store's clock ahead of the server's. It must not be called
// during an operation.
func (s *Store) Shift(d time.Duration) {
	s.operations.shift = strconv.FormatInt(d.Microseconds(), 10)
}

// Freeze stops the store's clock at an instant. It must not be called during an
// operation.
func (s *Store) Freeze(at time.Time) {
	s.operations.scripts = newScripts("local now = tonumber(ARGV[1])\n", s.operations.limits)
	s.operations.shift = strconv.FormatInt(at.UnixMicro(), 10)
}
