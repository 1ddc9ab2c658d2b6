package redisstore

import (
	"strconv"
	"time"
)

// longest is the longest duration. In microseconds since 1970, its end stays
// below 2^53, the limit of exact numbers in Lua.
const longest = 100 * 365 * 24 * time.Hour

// microseconds returns a duration in the form that the scripts take, rounded up
// so that nothing ends early.
func microseconds(d time.Duration) string {
	d = min(d, longest)
	us := d.Microseconds()
	if d%time.Microsecond > 0 {
		us++
	}
	return strconv.FormatInt(us, 10)
}
