package redisstore

import (
	"strconv"
	"time"
)

// longest is the longest duration. Its end, in microseconds since 1970, stays
// below 2^53, up to which Lua's numbers are exact.
const longest = 100 * 365 * 24 * time.Hour

// microseconds returns a duration in the form that the scripts expect, rounded
// up so that nothing ends early.
func microseconds(d time.Duration) string {
	d = min(d, longest)
	us := d.Microseconds()
	if d%time.Microsecond > 0 {
		us++
	}
	return strconv.FormatInt(us, 10)
}
