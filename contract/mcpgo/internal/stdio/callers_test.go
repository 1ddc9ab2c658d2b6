package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A direct server answers every line of its input with an id by "listen", and
// its calls beside it by what call returns.
func direct(call func(line []byte) []byte, slow func(line string)) Server {
	return Server{
		Listen: func(_ context.Context, in io.Reader, out io.Writer) error {
			lines := bufio.NewScanner(in)
			for lines.Scan() {
				slow(lines.Text())
				if r := readRequest(lines.Bytes()); r.id != "" {
					_, _ = fmt.Fprintf(out, `{"id":%s,"result":"listen"}`+"\n", r.id)
				}
			}
			return lines.Err()
		},
		Call:       call,
		BeginDrain: func() time.Time { return time.Now().Add(time.Second) },
		Close:      func(context.Context) error { return nil },
		MaxLine:    1 << 10,
	}
}

func answerOf(line []byte) []byte {
	return fmt.Appendf(nil, `{"id":%s,"result":"call"}`, readRequest(line).id)
}

const aCall = `{"id":%d,"method":"tools/call"}` + "\n"

func TestServe_AnswersCallsBesideTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		var out bytes.Buffer
		served := make(chan error, 1)
		slow := func(line string) {
			if readRequest([]byte(line)).id == "" {
				time.Sleep(time.Minute) // a notification that the next call must not overtake
			}
		}
		go func() { served <- Serve(t.Context(), direct(answerOf, slow), in, &out) }()
		send := func(format string, id int) {
			_, err := fmt.Fprintf(client, format, id)
			require.NoError(t, err)
			synctest.Wait()
		}
		synctest.Wait()
		send(aCall, 1)
		send(`{"id":%d,"method":"tools/list"}`+"\n", 2)
		send(`{"method":"notifications/%d"}`+"\n", 0)
		send(aCall, 3) // waits for the server, as in its queue
		time.Sleep(time.Hour)
		synctest.Wait()
		send(aCall, 4)
		require.NoError(t, client.Close())
		require.NoError(t, <-served)
		assert.Equal(t, `{"id":1,"result":"call"}
{"id":2,"result":"listen"}
{"id":3,"result":"listen"}
{"id":4,"result":"call"}
`, out.String())
	})
}

// Further calls go to the server, which bounds its own.
func TestCallers_AreBoundedAndReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var exits atomic.Bool
		c := newCallers(newExchange(io.Discard), func(line []byte) []byte {
			<-release
			if exits.Load() {
				runtime.Goexit()
			}
			return line
		})
		defer c.end()
		for _, exit := range []bool{false, true, false} {
			exits.Store(exit)
			for range maxCallers {
				require.True(t, c.take(call{id: "1"}))
			}
			synctest.Wait()
			require.False(t, c.take(call{id: "1"}))
			for range maxCallers {
				release <- struct{}{}
			}
			synctest.Wait()
		}
	})
}

func TestCallers_OfNoFunctionTakeNothing(t *testing.T) {
	t.Parallel()
	c := newCallers(nil, nil)
	assert.False(t, c.take(call{}))
	c.end()
}

// A line is a call only if mcp-go gives it to its workers: its readers of
// responses (server/stdio.go, handleSamplingResponse and the others) leave it,
// and it has an id and the method.
func FuzzReadRequest(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, `{"id":1,"method":"tools/call","result":null}`, `{"id":1,"method":"tools/call","error":null}`,
		`{"id":1,"method":"tools/call","Error":{"code":1}}`, `{"id":"1","METHOD":"tools/call"}`, `{"id":1,"id":null,"method":"tools/call"}`, `{"method":"tools/call"}`,
		`{"id":1,"method":"tools/call","method":"x"}`, `{"id":1,"method":"tools/call"} x`, `[{"id":1,"method":"tools/call"}]`, `{"id":1,"method":"tools/call","re\u017fult":{}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r := readRequest(line)
		if !r.isCall || r.id == "" {
			return
		}
		var raw json.RawMessage
		require.NoError(t, json.Unmarshal(line, &raw))
		var response struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.Number     `json:"id"`
			Result  json.RawMessage `json:"result,omitempty"`
			Error   *struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error,omitempty"`
		}
		if json.Unmarshal(raw, &response) == nil {
			require.Nil(t, response.Result)
			require.Nil(t, response.Error)
		}
		var base struct {
			Method string `json:"method"`
			ID     any    `json:"id,omitempty"`
		}
		require.NoError(t, json.Unmarshal(raw, &base))
		require.Equal(t, methodCall, base.Method)
		require.NotNil(t, base.ID)
	})
}
