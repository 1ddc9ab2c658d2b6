package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// An asking is a transport to an older server that asks questions in each call
// and returns the last answer as the result.
type asking int // the number of questions in each call

func (a asking) Connect(context.Context, func(json.RawMessage)) (client.Conn, error) {
	return &askingConn{times: int(a)}, nil
}

type askingConn struct {
	muteConn
	times   int
	replies sync.Map // channels by the IDs of questions
}

func (a *askingConn) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	answer := func(member string) (json.RawMessage, error) {
		return json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, member)), nil
	}
	switch {
	case m.Method == "initialize":
		return answer(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}`)
	case m.Method == "":
		var reply struct{ ID string }
		if json.Unmarshal(m.Body, &reply) == nil {
			if waits, ok := a.replies.Load(reply.ID); ok {
				waits.(chan string) <- string(m.Body)
			}
		}
	case m.Method == "tools/call":
		var all []string
		for i := range a.times {
			id, waits := fmt.Sprint(m.ID, " ", i), make(chan string, 1)
			a.replies.Store(id, waits)
			m.Receive(json.RawMessage(`{"jsonrpc":"2.0","id":"` + id + `","method":"elicitation/create","params":{"message":"Which?"}}`))
			select {
			case reply := <-waits:
				all = append(all, reply)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return answer(fmt.Sprintf(`"result":{"content":[],"n":%d}`, len(all)))
	case m.Method != "" && m.ID != 0:
		return answer(`"error":{"code":-32601,"message":"unknown"}`)
	}
	return nil, nil
}

// asked returns the state of an input_required result.
func asked(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var result struct {
		Type  string `json:"resultType"`
		State string `json:"requestState"`
	}
	require.NoError(t, json.Unmarshal(raw, &result))
	require.Equal(t, "input_required", result.Type)
	return result.State
}

func TestCall_AsksAnOlderServersQuestionsInRounds(t *testing.T) {
	t.Parallel()
	c := newClient(t, asking(2), client.WithElicitation())
	raw, err := c.Call(t.Context(), client.CallParams{Name: "a"})
	require.NoError(t, err)
	answer := client.CallParams{Name: "a", Responses: map[string]json.RawMessage{"question": json.RawMessage(`{"action":"accept"}`)}}
	answer.State = asked(t, raw)
	raw, err = c.Call(t.Context(), answer)
	require.NoError(t, err)
	answer.State = asked(t, raw)
	raw, err = c.Call(t.Context(), answer)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[],"n":2}`, string(raw))
	_, err = c.Call(t.Context(), answer)
	require.Error(t, err)
	assert.NotErrorIs(t, err, client.ErrUnsent, "the call of this answer has run")
}

// An unanswered question does not keep the call forever.
func TestCall_AnUnansweredQuestionIsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client.New(asking(1), client.WithElicitation())
		raw, err := c.Call(t.Context(), client.CallParams{Name: "a"})
		require.NoError(t, err)
		state := asked(t, raw)
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		_, err = c.Call(t.Context(), client.CallParams{Name: "a", State: state})
		require.Error(t, err)
		assert.NoError(t, c.Close())
	})
}

// If nobody answers a server's questions, only a bounded number of calls wait.
func TestCall_WaitingCallsAreBounded(t *testing.T) {
	t.Parallel()
	c := newClient(t, asking(1), client.WithElicitation())
	for range 1000 {
		raw, err := c.Call(t.Context(), client.CallParams{Name: "a"})
		require.NoError(t, err)
		asked(t, raw)
	}
	raw, err := c.Call(t.Context(), client.CallParams{Name: "a"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[],"n":1}`, string(raw), "its question was cancelled")
}
