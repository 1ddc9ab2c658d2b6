package strictjson_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

type level uint8

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "low" {
		return errors.New("no level: " + string(text))
	}
	*l = 1
	return nil
}

func (l *level) MarshalText() ([]byte, error) { return []byte("low"), nil }

type order struct {
	Amount int64         `json:"amount"`
	Wait   time.Duration `json:"wait,omitempty"`
	Levels []level       `json:"levels,omitempty"`
	Items  []struct {
		Small int8 `json:"small"`
	} `json:"items,omitempty"`
	Raw json.RawMessage `json:"raw,omitempty"`
	Map map[int]string  `json:"map,omitempty"`
	Any any             `json:"any,omitempty"`
}

func TestUnmarshalKeepsEncodingJSONsMeaning(t *testing.T) {
	t.Parallel()
	var got order
	require.NoError(t, strictjson.Unmarshal([]byte(`{"amount":9007199254740993,"wait":1000,"levels":["low"],`+
		`"map":{"-1":"x"},"raw":{"a":1}}`), &got))
	assert.Equal(t, order{
		Amount: 9007199254740993, Wait: time.Microsecond, Levels: []level{1}, Map: map[int]string{-1: "x"},
		Raw: json.RawMessage(`{"a":1}`),
	}, got)
	var empty struct{ _ int }
	require.NoError(t, strictjson.Unmarshal([]byte(`{}`), &empty), "a struct of markers only")
}

func TestUnmarshalKeepsEveryIntegerOfAnAny(t *testing.T) {
	t.Parallel()
	var got struct {
		One  any             `json:"one"`
		Map  map[string]any  `json:"map"`
		List []any           `json:"list"`
		Raw  json.RawMessage `json:"raw"`
	}
	require.NoError(t, strictjson.Unmarshal([]byte(`{
		"one":9007199254740993,
		"map":{"a":{"deep":[18446744073709551615]},"b":0.5,"c":null,"d":true,"e":"x","f":2.0},
		"list":[-9007199254740993,1e20],
		"raw":{"b":9007199254740993,"a":1.50}
	}`), &got))
	assert.Equal(t, int64(9007199254740993), got.One)
	assert.Equal(t, map[string]any{
		"a": map[string]any{"deep": []any{uint64(math.MaxUint64)}}, "b": 0.5, "c": nil, "d": true, "e": "x", "f": int64(2),
	}, got.Map)
	assert.Equal(t, []any{int64(-9007199254740993), 1e20}, got.List)
	assert.Equal(t, `{"b":9007199254740993,"a":1.50}`, string(got.Raw), "raw JSON is the text itself")

	var root any
	require.NoError(t, strictjson.Unmarshal([]byte(`9007199254740993`), &root))
	assert.Equal(t, int64(9007199254740993), root)
	var into struct{ A int }
	held := any(&into)
	require.NoError(t, strictjson.Unmarshal([]byte(`{"A":3}`), &held))
	assert.Equal(t, 3, into.A, "an any that holds a pointer is filled through it")
}

func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, pointer string }{
		"an unknown member":                             {`{"amount":1,"s3cret":1}`, "/s3cret"},
		"a name in other case":                          {`{"AMOUNT":1}`, "/AMOUNT"},
		"a name in other case, Unicode too":             {`{"itemſ":[]}`, "/itemſ"},
		"a number out of range":                         {`{"items":[{"small":1},{"small":300}]}`, "/items/1/small"},
		"a value of another type":                       {`{"amount":"s3cret"}`, "/amount"},
		"a duplicate":                                   {`{"amount":1,"amount":2}`, "/amount"},
		"what the author's method refuses":              {`{"levels":["low","s3cret"]}`, "/levels/1"},
		"a key of a map that is no integer":             {`{"map":{"x":"s3cret"}}`, "/map/x"},
		"an integer of an any that 64 bits cannot hold": {`{"any":[123456789012345678901]}`, "/any"},
		"a duplicate within an any":                     {`{"any":{"a":1,"a":2}}`, "/any/a"},
		"text that is not JSON":                         {`{"amount":s3cret}`, "/amount"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := strictjson.Unmarshal([]byte(test.text), new(order))
			var refusal *strictjson.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, strictjson.RuleBind, refusal.Rule)
			assert.Equal(t, test.pointer, refusal.Pointer)
			assert.NotContains(t, refusal.Message, "s3cret")
		})
	}
	require.Error(t, strictjson.Unmarshal([]byte(`{}`), nil))
	require.Error(t, strictjson.Unmarshal([]byte(`{}`), order{}), "not a pointer")
}

func TestMarshalValueWritesNoNullForEmptyThings(t *testing.T) {
	t.Parallel()
	data, err := strictjson.MarshalValue(struct {
		List  []int             `json:"list"`
		Map   map[string]string `json:"map"`
		Bytes []byte            `json:"bytes"`
		Text  string            `json:"text"`
		Wait  time.Duration     `json:"wait"`
		Level level             `json:"level"`
	}{Text: "<a>\u2028"})
	require.NoError(t, err)
	assert.Equal(t, "{\"list\":[],\"map\":{},\"bytes\":\"\",\"text\":\"<a>\u2028\",\"wait\":0,\"level\":\"low\"}", string(data))
}

func TestMarshalValueWritesTheDigitsOfANumber(t *testing.T) {
	t.Parallel()
	data, err := strictjson.MarshalValue(map[string]any{"a": json.Number("9007199254740993"), "b": []json.Number{"1.50", ""}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"a":9007199254740993,"b":[1.50,0]}`, string(data))
	assert.Contains(t, string(data), "9007199254740993")
}

func TestMarshalValueRefuses(t *testing.T) {
	t.Parallel()
	type node struct{ Next *node }
	circle := &node{}
	circle.Next = circle
	for name, test := range map[string]struct {
		value   any
		pointer string
	}{
		"a NaN":                    {map[string]any{"a": []float64{1, math.NaN()}}, "/a/1"},
		"text that is not UTF-8":   {map[string]string{"a": "\xff"}, "/a"},
		"a channel":                {map[string]any{"a": make(chan int)}, "/a"},
		"raw JSON that is none":    {map[string]any{"a": json.RawMessage(`{`)}, "/a"},
		"a number that is text":    {map[string]any{"a": json.Number(`"s3cret"`)}, "/a"},
		"a number that is none":    {map[string]any{"a": json.Number("1,2")}, "/a"},
		"raw JSON with duplicates": {map[string]any{"a": json.RawMessage(`{"b":1,"b":2}`)}, "/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := strictjson.MarshalValue(test.value)
			var refusal *strictjson.Error
			require.ErrorAs(t, err, &refusal)
			assert.Nil(t, data)
			assert.Equal(t, strictjson.RuleValue, refusal.Rule)
			assert.Equal(t, test.pointer, refusal.Pointer)
		})
	}
	_, err := strictjson.MarshalValue(circle)
	require.Error(t, err, "a circle")
}
