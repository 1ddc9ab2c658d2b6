package strictjson_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/internal/testing/drawtest"
)

func TestParseDuration_ReadsTheFormOfRFC3339(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"PT0S": 0, "PT1S": time.Second, "PT60S": time.Minute, "PT1M": time.Minute, "PT1H30M": 90 * time.Minute, "P2W": 14 * day,
		"P1D": day, "P1DT12H": 36 * time.Hour, "PT1H0M5S": time.Hour + 5*time.Second, "PT1H5S": time.Hour + 5*time.Second,
		"PT007S": 7 * time.Second, "PT9223372036S": 9223372036 * time.Second, "P0D": 0,
	} {
		d, err := strictjson.ParseDuration(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, d, text)
	}
	for text, want := range map[string]error{
		"P1Y": strictjson.ErrDurationCalendar, "P1M": strictjson.ErrDurationCalendar, "P0Y": strictjson.ErrDurationCalendar,
		"P1Y2M3DT4H5M6S": strictjson.ErrDurationCalendar,
		"PT9223372037S":  strictjson.ErrDurationRange, "P106752D": strictjson.ErrDurationRange,
		"PT99999999999999999999H":      strictjson.ErrDurationRange,
		"PT2562047H47M17S":             strictjson.ErrDurationRange,
		"P99999999999999999999999999W": strictjson.ErrDurationRange,
	} {
		_, err := strictjson.ParseDuration(text)
		assert.ErrorIs(t, err, want, text)
	}
	for _, text := range []string{
		"", "P", "PT", "T1H", "1H", "P1", "PT1", "P1H", "PT1D", "P1DT", "P1W1D", "P1DT1W", "PT1M1H", "PT1S1S", "PT1.5S", "PT1,5S",
		"PT-1S", "-PT1S", "+PT1S", "pt1s", "PT1h", " PT1S", "PT1S ", "PT1S\n", "PTS", "PH", "PT1HT1M",
		"P1D1Y", "P1.5D", "PT１S", "1h30m", "PW",
	} {
		_, err := strictjson.ParseDuration(text)
		assert.ErrorIs(t, err, strictjson.ErrDurationForm, text)
	}
}

func TestFormatDuration_WritesWhatParseDurationReads(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"PT0S": 0, "PT1M": time.Minute, "PT1H30M": 90 * time.Minute, "PT36H": 36 * time.Hour, "PT1H0M5S": time.Hour + 5*time.Second,
		"PT2562047H47M16S": math.MaxInt64 - math.MaxInt64%time.Second,
	} {
		text, err := strictjson.FormatDuration(d)
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
	for _, d := range []time.Duration{-1, -time.Second, math.MinInt64, time.Millisecond, time.Second + 1} {
		_, err := strictjson.FormatDuration(d)
		assert.Error(t, err, d)
	}
	drawtest.Check(t, func(rt *drawtest.T) {
		d := time.Duration(rt.Int(0, math.MaxInt64/int(time.Second))) * time.Second
		text, err := strictjson.FormatDuration(d)
		require.NoError(rt, err)
		again, err := strictjson.ParseDuration(text)
		require.NoError(rt, err)
		assert.Equal(rt, d, again, text)
	})
}
