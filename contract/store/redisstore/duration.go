package redisstore

import (
	"strconv"
	"time"
)

// longest is the longest duration there is. In microseconds since 1970 its end stays below 2^53, up to which
// the numbers of Lua are exact.
const longest = 100 * 365 * 24 * time.Hour

// microseconds returns a duration as the scripts take it, rounded up so that nothing ends early.
func microseconds(d time.Duration) string {
	d = min(d, longest)
	us := d.Microseconds()
	if d%time.Microsecond > 0 {
		us++
	}
	return strconv.FormatInt(us, 10)
}
