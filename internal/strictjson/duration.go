package strictjson

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A durationError is why a duration cannot be read or written. It holds no
// value, so that it may be shown.
type durationError string

func (e durationError) Error() string { return string(e) }

// The errors of [ParseDuration].
var (
	ErrDurationForm     error = durationError("must be a duration (ISO 8601) such as PT1H30M")
	ErrDurationCalendar error = durationError("must be a duration without years and months, because their length varies")
	ErrDurationRange    error = durationError("must be a shorter duration")
)

var errDurationFraction = durationError("must be a duration of whole seconds that is not negative")

// dateUnits and timeUnits are the units before and after the T, in their order.
// Years and months have no fixed length.
var (
	dateUnits = []durationUnit{{'Y', 0}, {'M', 0}, {'D', 24 * time.Hour}}
	timeUnits = []durationUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}
	weekUnits = []durationUnit{{'W', 7 * 24 * time.Hour}}
)

type durationUnit struct {
	letter byte
	length time.Duration // 0: it varies
}

// ParseDuration reads a duration of ISO 8601 in the form of RFC 3339, appendix
// A: a number of weeks, or numbers of days, hours, minutes and seconds. They
// are whole and have no sign. A day has 24 hours. Units between two others may
// be missing.
//
// A duration with years or months is ErrDurationCalendar. One that is too long
// is ErrDurationRange, and d is the longest one. Any other text is
// ErrDurationForm.
func ParseDuration(text string) (d time.Duration, err error) {
	rest, ok := strings.CutPrefix(text, "P")
	date, clock, hasClock := strings.Cut(rest, "T")
	if !ok || rest == "" || hasClock && clock == "" {
		return 0, ErrDurationForm
	}
	units := dateUnits
	if strings.HasSuffix(rest, "W") {
		units = weekUnits
	}
	var sum durationSum
	if !sum.add(date, units) || !sum.add(clock, timeUnits) {
		return 0, ErrDurationForm
	}
	switch {
	case sum.varies:
		return 0, ErrDurationCalendar
	case sum.overflows:
		return math.MaxInt64, ErrDurationRange
	}
	return sum.length, nil
}

type durationSum struct {
	length    time.Duration
	varies    bool // years or months are a part of it
	overflows bool
}

// add adds numbers with units, each at most once and in their order. It reports
// whether the text has no more than these.
func (s *durationSum) add(text string, units []durationUnit) bool {
	for _, unit := range units {
		digits := 0
		for digits < len(text) && '0' <= text[digits] && text[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits == len(text) || text[digits] != unit.letter {
			continue
		}
		s.addUnit(text[:digits], unit.length)
		text = text[digits+1:]
	}
	return text == ""
}

func (s *durationSum) addUnit(digits string, length time.Duration) {
	if length == 0 {
		s.varies = true
		return
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > int64((math.MaxInt64-s.length)/length) {
		s.overflows = true
		return
	}
	s.length += time.Duration(n) * length
}

// FormatDuration writes a duration as [ParseDuration] reads it, without days.
// RFC 3339 has no form for a negative duration and for a part of a second.
func FormatDuration(d time.Duration) (string, error) {
	if d < 0 || d%time.Second != 0 {
		return "", errDurationFraction
	}
	text := []byte("PT")
	unit := func(n time.Duration, letter byte) { text = append(strconv.AppendInt(text, int64(n), 10), letter) }
	hours, minutes, seconds := d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second
	if hours > 0 {
		unit(hours, 'H')
	}
	if minutes > 0 || hours > 0 && seconds > 0 { // RFC 3339 has no seconds directly after hours
		unit(minutes, 'M')
	}
	if seconds > 0 || d == 0 {
		unit(seconds, 'S')
	}
	return string(text), nil
}
