package direct

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func line(id, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":%s}`, id, params)
}

var accepted = map[string]string{
	"a call":       line(`1`, `{"name":"a.b","arguments":{"x":[1,-2.5,{"y":null}],"z":"\u00e9\"é"}}`),
	"a line break": line(`1`, `{"name":"a"}`) + "\n",
	"white space": "\t{ \"jsonrpc\" : \"2.0\" ,\r\"id\" : 7 , \"method\":\"tools/call\", \"params\":{ \"name\" " +
		": \"a\" , \"arguments\" : { } } } \r\n",
	"another order": `{"params":{"_meta":{},"arguments":{},"name":"a"},"method":"tools/call","id":"x",` +
		`"jsonrpc":"2.0"}`,
	"an id that is a text": line(`"a-1 ~'/"`, `{"name":"a"}`),
	"an empty id":          line(`""`, `{"name":"a"}`),
	"a negative id":        line(`-12`, `{"name":"a"}`),
	"the id 0":             line(`0`, `{"name":"a"}`),
	"a large id":           line(`999999999999999`, `{"name":"a"}`),
	"texts and integers in _meta": line(`1`, `{"name":"a","_meta":{"progressToken":"p","n":-3,`+
		`"io.github.toolcontract/idempotencyKey":"k"}}`),
	"any values in _meta": line(`1`, `{"name":"a","_meta":{"a":[{}],"\u0062":1.5,"progressToken":null,`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`),
	"a number as token":              line(`1`, `{"name":"a","_meta":{"progressToken":12}}`),
	"escapes in the arguments":       line(`1`, `{"name":"a","arguments":{"\u0061":"\ud83d\ude00\/"}}`),
	"hexadecimal digits in a text":   line(`1`, `{"name":"a","arguments":{"id":"12e400","1e400":true}}`),
	"a number of 300 digits":         line(`1`, `{"name":"a","arguments":{"n":`+strings.Repeat("9", 300)+`}}`),
	"characters that HTML escapes":   line(`1`, `{"name":"a","arguments":{"t":"<a>&"}}`),
	"a name with a dash and a slash": line(`1`, `{"name":"a-b/c_d.e"}`),
	"arguments of many levels": line(`1`, `{"name":"a","arguments":`+strings.Repeat(`{"a":`, 500)+`1`+strings.Repeat(`}`,
		500)+`}`),
	"control characters, escaped":       line(`1`, `{"name":"a","arguments":{"t":"\u0000\n"}}`),
	"U+2028 and a character of 4 bytes": line(`1`, "{\"name\":\"a\",\"arguments\":{\"t\":\"\u2028😀\"}}"),
}

func TestReadCall_AcceptsLinesThatMCPGoReadsEqually(t *testing.T) {
	t.Parallel()
	for name, text := range accepted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ok := readCall([]byte(text))
			require.True(t, ok)
			assertReadEqually(t, []byte(text), c)
		})
	}
}

// mcp-go gets each of these lines, because it reads them in another way, or
// might.
func TestReadCall_LeavesOtherLinesToMCPGo(t *testing.T) {
	t.Parallel()
	valid := line(`1`, `{"name":"a","arguments":{}}`)
	deep := strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat(`}`, 10_000)
	for name, text := range map[string]string{
		"an empty line":                           "",
		"white space":                             " \n",
		"no JSON":                                 "!\n",
		"a list":                                  "[" + valid + "]",
		"a text":                                  `"jsonrpc"`,
		"a line that is cut off":                  valid[:len(valid)-1],
		"two messages":                            valid + valid,
		"text after the message":                  valid + "x",
		"another version":                         strings.Replace(valid, `"2.0"`, `"1.0"`, 1),
		"a number as version":                     strings.Replace(valid, `"2.0"`, `2.0`, 1),
		"an escaped version":                      strings.Replace(valid, `"2.0"`, `"\u0032.0"`, 1),
		"no version":                              strings.Replace(valid, `"jsonrpc":"2.0",`, ``, 1),
		"no id":                                   strings.Replace(valid, `"id":1,`, ``, 1),
		"another method":                          strings.Replace(valid, `tools/call`, `tools/list`, 1),
		"an escaped method":                       strings.Replace(valid, `tools/call`, `tools\/call`, 1),
		"no method":                               strings.Replace(valid, `"method":"tools/call",`, ``, 1),
		"no params":                               `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
		"an upper case member":                    strings.Replace(valid, `"method"`, `"Method"`, 1),
		"a member that folds to one":              strings.Replace(valid, `"params"`, `"paramſ"`, 1),
		"an escaped member":                       strings.Replace(valid, `"method"`, `"\u006dethod"`, 1),
		"an unknown member":                       strings.Replace(valid, `"id":1`, `"id":1,"x":1`, 1),
		"a result":                                strings.Replace(valid, `"id":1`, `"id":1,"result":{}`, 1),
		"a result that is null":                   strings.Replace(valid, `"id":1`, `"id":1,"result":null`, 1),
		"an error":                                strings.Replace(valid, `"id":1`, `"id":1,"error":{}`, 1),
		"a member that comes twice":               strings.Replace(valid, `"id":1`, `"id":1,"id":1`, 1),
		"a member in two cases":                   strings.Replace(valid, `"id":1`, `"id":1,"ID":2`, 1),
		"the id null":                             line(`null`, `{"name":"a"}`),
		"the id true":                             line(`true`, `{"name":"a"}`),
		"the id -0":                               line(`-0`, `{"name":"a"}`),
		"an id with a fraction":                   line(`1.0`, `{"name":"a"}`),
		"an id with an exponent":                  line(`1e2`, `{"name":"a"}`),
		"an id with a leading zero":               line(`01`, `{"name":"a"}`),
		"an id of 16 digits":                      line(`1000000000000000`, `{"name":"a"}`),
		"an id that is a list":                    line(`[1]`, `{"name":"a"}`),
		"an id with an escape":                    line(`"\u0061"`, `{"name":"a"}`),
		"an id that JSON escapes":                 line(`"<a>"`, `{"name":"a"}`),
		"an id that is not ASCII":                 line(`"é"`, `{"name":"a"}`),
		"an id of 256 bytes":                      line(`"`+strings.Repeat("a", 256)+`"`, `{"name":"a"}`),
		"params that are a list":                  line(`1`, `["name"]`),
		"params that are null":                    line(`1`, `null`),
		"no name":                                 line(`1`, `{"arguments":{}}`),
		"an empty name":                           line(`1`, `{"name":""}`),
		"a name that is a number":                 line(`1`, `{"name":1}`),
		"a name that is null":                     line(`1`, `{"name":null}`),
		"a name with an escape":                   line(`1`, `{"name":"\u0061"}`),
		"a name that is not ASCII":                line(`1`, `{"name":"é"}`),
		"a name in upper case letters":            line(`1`, `{"Name":"a"}`),
		"a name that comes twice":                 line(`1`, `{"name":"a","name":"b"}`),
		"a task":                                  line(`1`, `{"name":"a","task":{}}`),
		"a state":                                 line(`1`, `{"name":"a","requestState":"s"}`),
		"responses":                               line(`1`, `{"name":"a","inputResponses":{}}`),
		"an unknown parameter":                    line(`1`, `{"name":"a","x":1}`),
		"arguments that are null":                 line(`1`, `{"name":"a","arguments":null}`),
		"arguments that are a list":               line(`1`, `{"name":"a","arguments":[]}`),
		"arguments that come twice":               line(`1`, `{"name":"a","arguments":{},"arguments":{}}`),
		"an argument that comes twice":            line(`1`, `{"name":"a","arguments":{"a":1,"a":1}}`),
		"an argument twice, once escaped":         line(`1`, `{"name":"a","arguments":{"a":1,"\u0061":1}}`),
		"invalid UTF-8":                           line(`1`, "{\"name\":\"a\",\"arguments\":{\"t\":\"\xff\"}}"),
		"half a surrogate":                        line(`1`, `{"name":"a","arguments":{"t":"\ud83d"}}`),
		"a control character":                     line(`1`, "{\"name\":\"a\",\"arguments\":{\"t\":\"\x01\"}}"),
		"a number that no float64 holds":          line(`1`, `{"name":"a","arguments":{"n":1e400}}`),
		"a fraction with an exponent":             line(`1`, `{"name":"a","arguments":{"n":1.5E2}}`),
		"a number of 301 digits":                  line(`1`, `{"name":"a","arguments":{"n":`+strings.Repeat("9", 301)+`}}`),
		"an exponent after an escape":             line(`1`, `{"name":"a","arguments":{"t":"\"","n":1e400}}`),
		"more levels than encoding/json":          line(`1`, `{"name":"a","arguments":`+deep+`}`),
		"_meta that is null":                      line(`1`, `{"name":"a","_meta":null}`),
		"_meta that is a list":                    line(`1`, `{"name":"a","_meta":[]}`),
		"_meta that comes twice":                  line(`1`, `{"name":"a","_meta":{},"_meta":{}}`),
		"a number of _meta that no float64 holds": line(`1`, `{"name":"a","_meta":{"a":1e400}}`),
		"a member of _meta twice":                 line(`1`, `{"name":"a","_meta":{"a":1,"a":2}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, ok := readCall([]byte(text))
			assert.False(t, ok)
			assert.Zero(t, c)
		})
	}
}

// Both libraries have the same limit for the levels of a message.
func TestReadCall_AcceptsNoMoreLevelsThanEncodingJSON(t *testing.T) {
	t.Parallel()
	for levels := 9_990; levels < 10_010; levels++ {
		text := []byte(line(`1`, `{"name":"a","arguments":`+strings.Repeat(`{"a":`, levels)+`1`+strings.Repeat(`}`, levels)+`}`))
		if c, ok := readCall(text); ok {
			assertReadEqually(t, text, c)
		}
	}
}

// The bytes of a call do not change when the reader is used for another line.
func TestReadCall_CallKeepsItsBytes(t *testing.T) {
	t.Parallel()
	first := []byte(line(`"first"`, `{"name":"first","arguments":{"first":1},"_meta":{"first":"first"}}`))
	c, ok := readCall(first)
	require.True(t, ok)
	for range 10 {
		_, ok := readCall([]byte(line(`"other"`, `{"name":"other","arguments":{"other":2},"_meta":{"other":"other"}}`)))
		require.True(t, ok)
	}
	assertReadEqually(t, first, c)
}

// A caller may append to a part of a call.
func TestReadCall_PartsHaveNoRoomInTheLine(t *testing.T) {
	t.Parallel()
	const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{},"_meta":{},"name":"a"}}`
	sent := []byte(text)
	c, ok := readCall(sent)
	require.True(t, ok)
	for _, part := range []json.RawMessage{c.id, c.arguments, c.meta} {
		_ = append(part, "!!!"...)
	}
	assert.Equal(t, text, string(sent))
}

// assertReadEqually asserts that mcp-go reads a line as this call: with the
// types and in the order of HandleMessage.
func assertReadEqually(t *testing.T, text []byte, c toolCall) {
	t.Helper()
	var base struct {
		JSONRPC string        `json:"jsonrpc"`
		Method  mcp.MCPMethod `json:"method"`
		ID      any           `json:"id,omitempty"`
		Result  any           `json:"result,omitempty"`
		Error   any           `json:"error"`
	}
	require.NoError(t, json.Unmarshal(text, &base))
	assert.Equal(t, mcp.JSONRPC_VERSION, base.JSONRPC)
	assert.Equal(t, mcp.MethodToolsCall, base.Method)
	assert.Nil(t, base.Result)
	assert.Nil(t, base.Error)
	require.NotNil(t, base.ID)
	assert.Equal(t, base.ID, c.idValue())
	id, err := json.Marshal(mcp.NewRequestId(base.ID))
	require.NoError(t, err)
	assert.Equal(t, string(id), string(c.id))

	var request mcp.CallToolRequest
	require.NoError(t, json.Unmarshal(text, &request))
	assert.Equal(t, request.Params.Name, c.name)
	assert.Equal(t, string(request.Params.RawArguments), string(c.arguments))
	assert.Equal(t, request.Params.Arguments == nil, c.arguments == nil)
	assert.Nil(t, request.Params.Task)
	assert.Zero(t, request.Params.MultiRoundTripParams)
	if request.Params.Meta == nil {
		assert.Nil(t, c.meta)
		return
	}
	var meta *mcp.Meta
	require.NoError(t, json.Unmarshal(c.meta, &meta))
	assert.Equal(t, request.Params.Meta, meta)
}

func FuzzReadCall(f *testing.F) {
	for _, text := range accepted {
		f.Add([]byte(text))
	}
	f.Add([]byte(line(`1.0`, `{"name":"a","Name":"b","arguments":{"n":1e400,"n":[{}]},"_meta":{"a":null}}`)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, ok := readCall(text); ok {
			assertReadEqually(t, text, c)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := []byte(line(`1`, `{"name":"orders_price","arguments":{"customer":"c-1042","currency":"EUR","priority":3,"express":true,`+
		`"note":"Leave the parcel with the neighbour at number 12.",`+
		`"lines":[{"sku":"LAMP-01","quantity":2,"price":19.5},{"sku":"BULB-E27","quantity":6,"price":3.25},{"sku":"CORD-2M",`+
		`"quantity":1,"price":7.25}]}}`))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := readCall(text); !ok {
			b.Fatal("not accepted")
		}
	}
}
