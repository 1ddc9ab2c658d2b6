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

// A shortcut takes lines with a function.
type shortcut struct {
	take   func(line []byte) (answer func() []byte)
	cancel func(line []byte)
}

func (s shortcut) Take(line []byte) func() []byte { return s.take(line) }

func (s shortcut) Cancel(line []byte) {
	if s.cancel != nil {
		s.cancel(line)
	}
}

// calls takes every tools/call.
func calls(answer func(line []byte) []byte) shortcut {
	return shortcut{take: func(line []byte) func() []byte {
		if !IsCall(line) {
			return nil
		}
		return func() []byte { return answer(line) }
	}}
}

// listening returns a server whose Listen answers every line that has an id
// with "listen".
func listening(slow func(line string), shortcuts ...Shortcut) Server {
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
		Shortcuts:  shortcuts,
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
		go func() { served <- Serve(t.Context(), listening(slow, calls(answerOf)), in, &out) }()
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

// Lines that the server takes are answered beside Listen, which does not see
// them. A cancellation reaches both.
func TestServe_TakesLinesPastTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		var out bytes.Buffer
		var listened, cancelled []string
		release := make(chan struct{})
		take := func(line []byte) func() []byte {
			if !bytes.Contains(line, []byte("taken")) {
				return nil
			}
			return func() []byte { <-release; return []byte(`"taken"`) }
		}
		cancel := func(line []byte) { cancelled = append(cancelled, string(line)); close(release) }
		s := listening(func(line string) { listened = append(listened, line) }, shortcut{take, cancel}, calls(answerOf))
		served := make(chan error, 1)
		go func() { served <- Serve(t.Context(), s, in, &out) }()
		for _, line := range []string{
			`{"id":1,"method":"taken"}`, `{"id":2,"method":"tools/call"}`, `{"id":3,"method":"other"}`,
			`{"method":"notifications/cancelled"}`, `{"method":"notifications/other"}`,
		} {
			synctest.Wait()
			_, err := io.WriteString(client, line+"\n")
			require.NoError(t, err)
		}
		require.NoError(t, client.Close())
		require.NoError(t, <-served)
		assert.Equal(t, []string{`{"id":3,"method":"other"}`, `{"method":"notifications/cancelled"}`,
			`{"method":"notifications/other"}`}, listened)
		assert.Equal(t, []string{`{"method":"notifications/cancelled"}` + "\n"}, cancelled)
		assert.Equal(t, "{\"id\":2,\"result\":\"call\"}\n{\"id\":3,\"result\":\"listen\"}\n\"taken\"\n", out.String())
	})
}

// The end of the session waits for the answers to taken lines, also to the last
// one.
func TestServe_WaitsForTakenLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, wait := range map[string]time.Duration{"in time": time.Second / 2, "too late": time.Hour} {
			in, client := io.Pipe()
			var out bytes.Buffer
			s := listening(func(string) {}, shortcut{take: func([]byte) func() []byte {
				return func() []byte { time.Sleep(wait); return []byte("answer") }
			}})
			served := make(chan error, 1)
			go func() { served <- Serve(t.Context(), s, in, &out) }()
			synctest.Wait()
			_, err := io.WriteString(client, "line without an end")
			require.NoError(t, err)
			require.NoError(t, client.Close())
			if err = <-served; wait > time.Second {
				require.ErrorIs(t, err, ErrUnanswered, name)
				time.Sleep(wait) // until the call ends
				continue
			}
			require.NoError(t, err, name)
			assert.Equal(t, "answer\n", out.String(), name)
		}
	})
}

// If all readers are busy, calls go to the server, which bounds its own calls.
func TestReaders_AreBoundedAndReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls, release := make(chan func() []byte), make(chan struct{})
		var exits atomic.Bool
		answer := func(func() []byte) {
			<-release
			if exits.Load() {
				runtime.Goexit()
			}
		}
		r := newReaders(func() (func() []byte, bool) { return <-calls, true }, answer)
		go r.run()
		for _, exit := range []bool{false, true, false} {
			exits.Store(exit)
			for range maxCalls {
				require.True(t, r.isFree())
				calls <- func() []byte { return nil }
				synctest.Wait()
			}
			require.False(t, r.isFree())
			for range maxCalls {
				release <- struct{}{}
			}
			synctest.Wait()
		}
		close(calls)
		r.end()
	})
}

// The last call of a stream is answered, and then no reader reads.
func TestReaders_StopAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads, answers int
		last := func() []byte { return nil }
		r := newReaders(func() (func() []byte, bool) { reads++; return last, false }, func(func() []byte) { answers++ })
		go r.run()
		synctest.Wait()
		assert.Equal(t, []int{1, 1}, []int{reads, answers})
		r.end()
	})
}

// A line is a call only if mcp-go gives it to its workers: its readers of
// responses (server/stdio.go, handleSamplingResponse and the others) leave it,
// and it has an id and the method.
func FuzzReadRequest(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, `{"id":1,"method":"tools/call","result":null}`,
		`{"id":1,"method":"tools/call","error":null}`,
		`{"id":1,"method":"tools/call","Error":{"code":1}}`, `{"id":"1","METHOD":"tools/call"}`,
		`{"id":1,"id":null,"method":"tools/call"}`, `{"method":"tools/call"}`,
		`{"id":1,"method":"tools/call","method":"x"}`, `{"id":1,"method":"tools/call"} x`, `[{"id":1,"method":"tools/call"}]`,
		`{"id":1,"method":"tools/call","re\u017fult":{}}`,
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
