package strictjson_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

type (
	kinds struct {
		Text    string             `json:"text"`
		Whole   int8               `json:"whole,omitempty"`
		Real    float64            `json:"real"`
		Yes     bool               `json:"yes"`
		Bytes   []byte             `json:"bytes"`
		List    []nested           `json:"list"`
		Named   map[string]*nested `json:"named"`
		Maybe   *string            `json:"maybe"`
		Time    time.Time          `json:"time"`
		Lasting time.Duration      `json:"lasting"`
		Array   [2]int             `json:"array"`

		hidden int
	}
	nested struct {
		Name string   `json:"name"`
		More *nested  `json:"more"`
		Of   []nested `json:"of,omitzero"`
	}
	secret struct{ hidden int }
	loud   string
	holder struct {
		In []map[string]*loud `json:"in"`
	}
	zeroable struct{ A int }
)

func (loud) MarshalText() ([]byte, error) { return []byte("loud"), nil }
func (*zeroable) IsZero() bool            { return true }

func TestCallsMethods_LooksIntoTypes(t *testing.T) {
	t.Parallel()
	for of, want := range map[reflect.Type]bool{
		reflect.TypeFor[kinds]():                     false,
		reflect.TypeFor[secret]():                    false,
		reflect.TypeFor[[]map[string][2]**string]():  false,
		reflect.TypeFor[any]():                       true,
		reflect.TypeFor[[]any]():                     true,
		reflect.TypeFor[loud]():                      true,
		reflect.TypeFor[map[loud]int]():              true,
		reflect.TypeFor[*holder]():                   true,
		reflect.TypeFor[zeroable]():                  true,
		reflect.TypeFor[netip.Addr]():                true,
		reflect.TypeFor[json.Number]():               true,
		reflect.TypeFor[struct{ kinds }]():           false,
		reflect.TypeFor[struct{ json.RawMessage }](): true,
	} {
		assert.Equal(t, want, strictjson.CallsMethods(of), of)
	}
}

// A codec reads and writes what Unmarshal and MarshalValue do, and has their
// errors.
func FuzzCodec(f *testing.F) {
	for _, seed := range []string{
		`{"text":"a","whole":1.0,"real":1e2,"yes":true,"bytes":"YQ==","list":[{"name":"b","more":{"name":"c",` +
			`"more":null}}],"named":{"d":null},"maybe":null,"time":"2026-01-02T03:04:05Z","lasting":5,"array":[1,2]}`,
		`{"text":"\u00e9","list":null,"named":{}}`, `{"TEXT":"a"}`, `{"text":"a","text":"b"}`, `{"whole":300}`,
		`{"array":[1]}`, `{"text":"\ud800"}`,
		`{"list":[{"unknown":1}]}`, `null`, `[]`, `{}`, `{"time":"yesterday"}`, `{"named":{"a":{"of":[]}}} x`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same[kinds](t, text)
		same[secret](t, text)
		same[[]nested](t, text)
		same[map[string]any](t, text)
		same[*holder](t, text)
	})
}

func same[T any](t *testing.T, text string) {
	t.Helper()
	codec := strictjson.CodecOf(reflect.TypeFor[T]())
	var got, want T
	wantErr := strictjson.Unmarshal([]byte(text), &want)
	require.Equal(t, wantErr, codec.Unmarshal([]byte(text), &got))
	if wantErr != nil {
		return
	}
	require.Equal(t, want, got)
	wantText, wantErr := strictjson.MarshalValue(want)
	gotText, err := codec.Marshal(got)
	require.Equal(t, wantErr, err)
	require.Equal(t, string(wantText), string(gotText))
}
