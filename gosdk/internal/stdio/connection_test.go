package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sink is an output that tests read.
type sink struct {
	mu sync.Mutex
	bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(p)
}

func (s *sink) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Fields(strings.ReplaceAll(s.String(), " ", "_"))
}

func call(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{}}`, id)
}

func open(in io.Reader, out io.Writer, check func(*jsonrpc.Request) *jsonrpc.Error) *Connection {
	return New("id", in, out, 1000, check)
}

func id(t *testing.T, v any) jsonrpc.ID {
	t.Helper()
	made, err := jsonrpc.MakeID(v)
	require.NoError(t, err)
	return made
}

func answerTo(t *testing.T, c *Connection, n int) {
	t.Helper()
	require.NoError(t, c.Write(t.Context(), &jsonrpc.Response{ID: id(t, float64(n)), Result: []byte(`{}`)}))
}

// A request counts from the moment it was read, so that the end of the input
// does not overtake it.
func TestConnection_CountsARequestBeforeItIsHandedOn(t *testing.T) {
	t.Parallel()
	c := open(strings.NewReader(call(1)+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+call(2)), io.Discard, nil)
	<-c.exhausted
	assert.Equal(t, 2, c.exchange.unanswered(), "nothing was handed on yet")
	assert.False(t, c.exchange.settled(0))
	for range 3 {
		_, err := c.Read(t.Context())
		require.NoError(t, err)
	}
	answerTo(t, c, 1)
	answerTo(t, c, 2)
	answerTo(t, c, 2)
	assert.True(t, c.exchange.settled(0))
	c.end()
	_, err := c.Read(t.Context())
	assert.ErrorIs(t, err, io.EOF)
	assert.Equal(t, "id", c.SessionID())
}

func TestConnection_AnswersWhatTheSDKWouldMisread(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`nonsense`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,` +
			`"message":"the_line_is_not_a_JSON_object"}}`,
		`[]`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,` +
			`"message":"the_line_is_not_a_JSON_object"}}`,
		`{"jsonrpc":"1.0","id":1,"method":"x"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"the_line_is_not_a_JSON-RPC_2.0_message"}}`,
		`{"jsonrpc":"2.0","id":1,"method":5}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"the_line_is_not_a_JSON-RPC_2.0_message"}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"x"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"the_id_is_not_a_string_or_an_integer_of_at_most_2^53"}}`,
		`{"jsonrpc":"2.0","id":true,"method":"x"}`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
			`"message":"the_id_is_not_a_string_or_an_integer_of_at_most_2^53"}}`,
		strings.Repeat("x", 2000): `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the_line_is_too_long"}}`,
		call(7):                   `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}`,
	} {
		out := &sink{}
		c := open(strings.NewReader(line), out, func(*jsonrpc.Request) *jsonrpc.Error {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
		})
		<-c.exhausted
		assert.Equal(t, []string{want}, out.lines())
		assert.Zero(t, c.exchange.unanswered())
	}
	out := &sink{}
	c := open(strings.NewReader("\n \r\n"+call(1)+"\r\n"+call(1)), out, nil)
	<-c.exhausted
	assert.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,` +
		`"message":"the_id_belongs_to_a_request_that_is_running"}}`}, out.lines())
	assert.Equal(t, 1, c.exchange.unanswered())
}

// Beyond maxOpen requests, only what the running ones need is handed on.
func TestConnection_BoundsWhatRunsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var in strings.Builder
		for n := 1; n <= maxOpen+2; n++ {
			in.WriteString(call(n) + "\n")
		}
		in.WriteString(`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n")
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", maxOpen+2)
		c := open(strings.NewReader(in.String()), io.Discard, nil)
		<-c.exhausted
		read := make(chan jsonrpc.Message)
		go func() {
			defer close(read)
			for {
				m, err := c.Read(t.Context())
				if err != nil {
					return
				}
				read <- m
			}
		}()
		_, isResponse := (<-read).(*jsonrpc.Response)
		assert.True(t, isResponse, "a response overtakes")
		for n := range maxOpen {
			req, ok := (<-read).(*jsonrpc.Request)
			require.True(t, ok)
			assert.Equal(t, id(t, float64(n+1)), req.ID)
		}
		synctest.Wait()
		select {
		case m := <-read:
			t.Fatalf("one more than the bound: %v", m)
		default:
		}
		answerTo(t, c, 1)
		answerTo(t, c, 2)
		for _, method := range []string{"tools/call", "tools/call", methodCancelled} {
			req, ok := (<-read).(*jsonrpc.Request)
			require.True(t, ok)
			assert.Equal(t, method, req.Method, "a cancellation does not overtake its request")
		}
		c.end()
		<-read
	})
}

func TestConnection_ACancellationOvertakesOtherRequests(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for n := 1; n <= 3; n++ {
		in.WriteString(call(n) + "\n")
	}
	reader, writer := io.Pipe()
	c := open(reader, io.Discard, nil)
	_, err := io.WriteString(writer, in.String())
	require.NoError(t, err)
	_, err = c.Read(t.Context())
	require.NoError(t, err)
	_, err = io.WriteString(writer, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	<-c.exhausted
	m, err := c.Read(t.Context())
	require.NoError(t, err)
	req, ok := m.(*jsonrpc.Request)
	require.True(t, ok)
	assert.Equal(t, methodCancelled, req.Method)
}

// answeringServer answers calls with answer, if it is not nil.
func answeringServer(answer func(c *Connection, req *jsonrpc.Request), drain time.Duration, closed *bool) Server {
	return Server{
		Listen: func(ctx context.Context, c *Connection) error {
			for {
				m, err := c.Read(ctx)
				if errors.Is(err, io.EOF) {
					return nil
				}
				if err != nil {
					return err
				}
				if req, ok := m.(*jsonrpc.Request); ok && answer != nil {
					go answer(c, req)
				}
			}
		},
		BeginDrain: func() time.Time { return time.Now().Add(drain) },
		Close: func(context.Context) error {
			*closed = true
			return nil
		},
	}
}

func TestServe_WaitsForEveryAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := false
		out := &sink{}
		c := open(strings.NewReader(call(1)+"\n"+call(2)), out, nil)
		answer := func(c *Connection, req *jsonrpc.Request) {
			time.Sleep(time.Minute)
			assert.False(t, closed)
			assert.NoError(t, c.Write(context.Background(), &jsonrpc.Response{ID: req.ID, Result: []byte(`{}`)}))
		}
		require.NoError(t, Serve(t.Context(), answeringServer(answer, time.Hour, &closed), c))
		assert.True(t, closed)
		assert.Len(t, out.lines(), 2)
	})
}

func TestServe_CountsWhatIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		closed := false
		c := open(strings.NewReader(call(1)+"\n"+call(2)), io.Discard, nil)
		began := time.Now()
		err := Serve(t.Context(), answeringServer(nil, time.Minute, &closed), c)
		require.ErrorIs(t, err, ErrUnanswered)
		require.ErrorContains(t, err, ": 2")
		assert.Equal(t, time.Minute+time.Second, time.Since(began))
	})
}

// A signal ends the session although the input does not end. Requests that did
// not begin yet are refused.
func TestServe_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, input := io.Pipe()
		defer input.Close()
		out := &sink{}
		c := open(in, out, nil)
		closed := false
		ended := make(chan error, 1)
		s := answeringServer(nil, time.Minute, &closed)
		s.Listen = func(ctx context.Context, c *Connection) error { // reads nothing
			for {
				c.mu.Lock()
				ended := c.ended
				c.mu.Unlock()
				if ended {
					return nil
				}
				time.Sleep(time.Millisecond)
			}
		}
		go func() { ended <- Serve(ctx, s, c) }()
		_, err := io.WriteString(input, call(1)+"\n")
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		require.NoError(t, <-ended)
		assert.Equal(t, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the_server_is_shutting_down"}}`},
			out.lines())
	})
}

// A client that does not read stops neither the reading nor the end.
func TestServe_EndsAlthoughTheClientDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		blocked, out := io.Pipe()
		defer blocked.Close()
		c := open(strings.NewReader(call(1)), out, nil)
		closed := false
		answer := func(c *Connection, req *jsonrpc.Request) {
			_ = c.Write(context.Background(), &jsonrpc.Response{ID: req.ID, Result: []byte(`{}`)})
		}
		err := Serve(t.Context(), answeringServer(answer, time.Minute, &closed), c)
		require.ErrorIs(t, err, ErrUnanswered)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.ErrorIs(t, c.Write(ctx, &jsonrpc.Request{Method: "notifications/progress"}), context.DeadlineExceeded)
	})
}

func TestServe_ReportsTheErrorOfTheSession(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	closed := false
	s := answeringServer(nil, time.Minute, &closed)
	s.Listen = func(context.Context, *Connection) error { return broken }
	reader, writer := io.Pipe()
	defer writer.Close()
	require.ErrorIs(t, Serve(t.Context(), s, open(reader, io.Discard, nil)), broken)
	assert.True(t, closed)
}
