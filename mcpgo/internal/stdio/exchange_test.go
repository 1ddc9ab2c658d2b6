package stdio

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReceived_CountsRequestsThatWillBeAnswered(t *testing.T) {
	t.Parallel()
	for line, open := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`: true,
		`{"jsonrpc":"2.0","id":"a","method":"initialize"}`:           true,
		`{"jsonrpc":"1.0","id":0,"method":"x"}`:                      true,
		`{"ID":1,"METHOD":"x"}`:                                      true, // mcp-go ignores the case of names
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:     false,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`:                   false,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                       false,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`:                false,
		`{"jsonrpc":"2.0","id":1,"method":"x","result":{}}`:          false,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`:   false,
		`{"jsonrpc":"2.0","id":1,"method":"x","result":null}`:        true,
		`{"jsonrpc":"2.0","id":{},"method":"x"}`:                     true,
		`{"jsonrpc":"2.0","id":[1],"method":"x"}`:                    true,
		`{"jsonrpc":"2.0","id":false,"method":"x"}`:                  true,
		`{"jsonrpc":2,"id":1,"method":"x"}`:                          false,
		`[{"jsonrpc":"2.0","id":1,"method":"x"}]`:                    false,
		`{"jsonrpc":"2.0","id":1,"method":5}`:                        false,
		`!`:                                                          false,
		``:                                                           false,
	} {
		x := newExchange(io.Discard)
		x.receive([]byte(line))
		assert.Equal(t, !open, x.wait(0), line)
	}
}

func TestMethodListen_MatchesMCPGo(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, mcp.MethodSubscriptionsListen, methodListen)
}

func TestWrite_SettlesOnResponses(t *testing.T) {
	t.Parallel()
	for message, settles := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2,"method":"x"}}`:        true,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1}}`:                   true,
		`{"jsonrpc":"2.0","id":1.0,"result":null}`:                       true,
		`{"jsonrpc":"2.0","id":2,"result":{}}`:                           false,
		`{"jsonrpc":"2.0","id":"1","result":{}}`:                         false,
		`{"jsonrpc":"2.0","id":null,"error":{}}`:                         false,
		`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`:         false,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`: false,
		`{"jsonrpc":"2.0","id":1`:                                        false,
		`{"jsonrpc"`:                                                     false,
		`[]`:                                                             false,
		``:                                                               false,
	} {
		x := newExchange(io.Discard)
		x.receive([]byte(`{"id":1,"method":"tools/call"}`))
		n, err := x.Write([]byte(message + "\n"))
		require.NoError(t, err)
		assert.Equal(t, len(message)+1, n)
		assert.Equal(t, settles, x.wait(0), message)
	}
}

func TestExchange_CountsAnIDUsedTwice(t *testing.T) {
	t.Parallel()
	x := newExchange(io.Discard)
	for range 2 {
		x.receive([]byte(`{"id":1,"method":"a"}`))
	}
	for _, settled := range []bool{false, true, true} {
		_, err := x.Write([]byte(`{"id":1,"result":{}}`))
		require.NoError(t, err)
		assert.Equal(t, settled, x.wait(0))
	}
}

func TestSettled_WaitsForTheLastAnswer(t *testing.T) {
	t.Parallel()
	x := newExchange(io.Discard)
	x.receive([]byte(`{"id":1,"method":"a"}`))
	x.receive([]byte(`{"id":2,"method":"a"}`))
	settled := make(chan bool)
	go func() { settled <- x.wait(time.Minute) }()
	for _, answer := range []string{`{"id":2,"result":{}}`, `{"id":1,"error":{}}`} {
		_, err := x.Write([]byte(answer))
		require.NoError(t, err)
	}
	assert.True(t, <-settled)
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWrite_DisconnectedClientCountsAsAnswered(t *testing.T) {
	t.Parallel()
	x := newExchange(brokenPipe{})
	x.receive([]byte(`{"id":1,"method":"a"}`))
	n, err := x.Write([]byte(`{"id":1,"result":{}}`))
	require.NoError(t, err)
	assert.Equal(t, 20, n)
	assert.True(t, x.wait(0))
}

// slowWriter fails if two writes overlap.
type slowWriter struct {
	busy sync.Mutex
	bytes.Buffer
}

func (w *slowWriter) Write(p []byte) (int, error) {
	if !w.busy.TryLock() {
		return 0, errors.New("two writes at once")
	}
	defer w.busy.Unlock()
	for i := range p {
		w.Buffer.WriteByte(p[i])
		runtime.Gosched()
	}
	return len(p), nil
}

func TestWrite_WritesOneMessageAtATime(t *testing.T) {
	t.Parallel()
	w := &slowWriter{}
	x := newExchange(w)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { _, _ = x.Write([]byte(`{"id":1,"result":"0123456789"}` + "\n")) })
	}
	group.Wait()
	for line := range bytes.Lines(w.Bytes()) {
		require.Equal(t, `{"id":1,"result":"0123456789"}`+"\n", string(line))
	}
	assert.Equal(t, 50, bytes.Count(w.Bytes(), []byte("\n")))
}

// mcp-go writes an id as encoding/json does, not as the client wrote it.
func TestExchange_MatchesIDsOfAnyType(t *testing.T) {
	t.Parallel()
	for asked, answered := range map[string]string{
		`{}`:              `{}`,
		`[1]`:             `[1]`,
		`true`:            `true`,
		`1e2`:             `100`,
		`"<"`:             `"\u003c"`,
		`{"b":1,"a":2.0}`: `{"a":2,"b":1}`,
	} {
		x := newExchange(io.Discard)
		x.receive([]byte(`{"id":` + asked + `,"method":"a"}`))
		require.Equal(t, 1, x.countOpen(), asked)
		_, err := x.Write([]byte(`{"id":` + answered + `,"result":{}}`))
		require.NoError(t, err)
		assert.Zero(t, x.countOpen(), asked)
	}
}
