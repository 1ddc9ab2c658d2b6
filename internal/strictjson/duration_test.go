package strictjson_test

import (
	"database/sql"
	"math"
	"reflect"
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

type waits struct {
	Wait   time.Duration            `json:"wait" jsonschema:"format=duration,minimum=1s"`
	Plain  time.Duration            `json:"plain"`
	Other  time.Duration            `json:"other" jsonschema:"title=A\\,format=duration"`
	Quoted time.Duration            `json:"quoted,string"`
	List   []time.Duration          `json:"list" jsonschema:"maxItems=3,format=duration"`
	Plains []time.Duration          `json:"plains"`
	Null   sql.Null[time.Duration]  `json:"null" jsonschema:"format=duration"`
	To     **time.Duration          `json:"to" jsonschema:"format=duration"`
	Map    map[string]time.Duration `json:"map"`
	waitsWithin
	Below map[string][]waitsBelow `json:"below"`
	Any   any                     `json:"any"`
}

type waitsWithin struct {
	Within time.Duration `json:"a~b/c" jsonschema:"format=duration"`
}

type waitsBelow struct {
	Wait time.Duration `json:"wait" jsonschema:"format=duration"`
	Kids []waitsBelow  `json:"kids"`
}

// A duration is a text if the tag of its field sets the format.
func TestUnmarshal_DurationsWithTheTagAreTexts(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	pointer := new(minute)
	value := waits{
		Wait: minute, Plain: minute, Other: minute, Quoted: minute,
		List: []time.Duration{minute, 2 * minute}, Plains: []time.Duration{1, 2},
		Null: sql.Null[time.Duration]{V: minute, Valid: true}, To: &pointer, Map: map[string]time.Duration{"wait": minute},
		waitsWithin: waitsWithin{minute},
		Below: map[string][]waitsBelow{"0": {{minute, []waitsBelow{
			{2 * minute, []waitsBelow{}}, {3 * minute, []waitsBelow{}},
		}}}},
	}
	const text = `{"wait":"PT1M","plain":60000000000,"other":60000000000,"quoted":"60000000000","list":["PT1M","PT2M"],` +
		`"plains":[1,2],"null":"PT1M","to":"PT1M","map":{"wait":60000000000},"a~b/c":"PT1M","below":{"0":[{"wait":"PT1M","kids":[` +
		`{"wait":"PT2M","kids":[]},{"wait":"PT3M","kids":[]}]}]},"any":null}`
	for name, codec := range map[string]strictjson.Codec{
		"the zero codec": {}, "the codec of the type": strictjson.CodecOf(reflect.TypeFor[waits]()),
	} {
		data, err := codec.Marshal(value)
		require.NoError(t, err, name)
		assert.Equal(t, text, string(data), name)
		data, err = codec.Marshal(&value)
		require.NoError(t, err, name)
		assert.Equal(t, text, string(data), name)
		var read waits
		require.NoError(t, codec.Unmarshal([]byte(text), &read), name)
		assert.Equal(t, value, read, name)
	}
}

func TestUnmarshal_RefusedDurationsHaveAPointer(t *testing.T) {
	t.Parallel()
	const calendar = "must be a duration without years and months, because their length varies"
	for text, want := range map[string]string{
		`{"wait":"P1M"}`:                           "strictjson: /wait: " + calendar,
		`{"wait":60}`:                              "strictjson: /wait: must be a duration (ISO 8601) such as PT1H30M",
		`{"list":["PT1S","P300Y"]}`:                "strictjson: /list/1: " + calendar,
		`{"to":"P999999999W"}`:                     "strictjson: /to: must be a shorter duration",
		`{"below":{"x":[{"wait":"60000000000"}]}}`: "strictjson: /below/x/0/wait: must be a duration (ISO 8601) such as PT1H30M",
		`{"plain":"PT1M"}`:                         "strictjson: /plain: is not a value that the tool's type accepts",
		`{"map":{"wait":"PT1M"}}`:                  "strictjson: /map/wait: is not a value that the tool's type accepts",
	} {
		assert.EqualError(t, strictjson.Unmarshal([]byte(text), new(waits)), want, text)
	}
	for _, d := range []time.Duration{time.Millisecond, -time.Minute} {
		_, err := strictjson.MarshalValue(waits{waitsWithin: waitsWithin{d}})
		assert.EqualError(t, err, "strictjson: /a~0b~1c: must be a duration of whole seconds that is not negative")
	}
}
