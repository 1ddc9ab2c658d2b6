package observe

import (
	"time"

	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// durations has the bounds of a string with the format duration.
type durations struct {
	low, high       time.Duration
	hasLow, hasHigh bool
}

func (b *durations) add(n *tree.Node) {
	if low, ok := schema.DurationBound(n, schema.MinimumKeyword); ok {
		b.low, b.hasLow = max(b.low, low), true
	}
	if high, ok := schema.DurationBound(n, schema.MaximumKeyword); ok {
		if !b.hasHigh || high < b.high {
			b.high = high
		}
		b.hasHigh = true
	}
}

// openSpan is how far above its lower bound a duration without an upper bound
// may be.
const openSpan = 30 * 24 * time.Hour

// duration draws a duration between bounds. The shortest is the simplest, and
// the longest is drawn often.
func (d *drawer) duration(between *durations) (drawn string, ok bool) {
	low, high := between.low, between.high
	if !between.hasHigh {
		high = low + openSpan
	}
	if low > high {
		return "", false
	}
	more := time.Duration(d.from.Uint(uint64(high - low))) //nolint:gosec // it is not negative
	if d.index(4) == 3 {
		return durationText(high), true
	}
	return durationText((low + more).Truncate(time.Second)), true
}

// beyondBounds returns durations a little beyond the bounds.
func (b *durations) beyondBounds() []any {
	var all []any
	if b.hasLow && b.low >= time.Second {
		all = append(all, durationText(b.low-time.Second))
	}
	if b.hasHigh {
		all = append(all, durationText(b.high+time.Second))
	}
	return all
}

func durationText(d time.Duration) string {
	text, err := strictjson.FormatDuration(d)
	if err != nil {
		return "P106752D" // longer than the longest time.Duration
	}
	return text
}
