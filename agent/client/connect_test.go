package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
)

// A mute is a transport to a server that accepts everything and never answers.
type mute struct{}

func (mute) Connect(context.Context, func(json.RawMessage)) (client.Conn, error) {
	return muteConn{}, nil
}

type muteConn struct{}

func (muteConn) Exchange(ctx context.Context, _ client.Message) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (muteConn) Listen()               {}
func (muteConn) Done() <-chan struct{} { return nil }
func (muteConn) Close() error          { return nil }

func TestClient_ACallDoesNotWaitForeverForAConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := client.New(mute{}).Call(t.Context(), client.CallParams{Name: "a"})
		assert.ErrorIs(t, err, client.ErrUnsent)
		assert.Equal(t, 30*time.Second, time.Since(began))
	})
}

// A slow is a transport to a modern server that begins slowly. It takes the
// first request as the beginning of a session, although its client has given it
// up, and refuses to begin another one.
type slow struct{}

func (slow) Connect(context.Context, func(json.RawMessage)) (client.Conn, error) {
	return &slowConn{}, nil
}

type slowConn struct {
	muteConn
	begun bool
}

func (s *slowConn) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	answer := func(member string) (json.RawMessage, error) {
		return json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, member)), nil
	}
	switch {
	case !s.begun:
		s.begun = true
		return s.muteConn.Exchange(ctx, m)
	case m.Method == "server/discover":
		return answer(`"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
	case m.Method == "tools/list":
		return answer(`"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`)
	}
	return answer(`"error":{"code":0,"message":"duplicate \"initialize\" received"}`)
}

func TestClient_ConnectsToAServerThatBeginsSlowly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := client.New(slow{})
		listing, err := c.ListTools(t.Context())
		require.NoError(t, err)
		assert.Len(t, listing.Tools, 1)
		assert.NoError(t, c.Close())
	})
}

func TestNew_ClientWithANilOptionFails(t *testing.T) {
	t.Parallel()
	c := client.New(mute{}, nil)
	_, err := c.ListTools(t.Context())
	require.Error(t, err)
	_, err = c.Call(t.Context(), client.CallParams{Name: "a"})
	assert.ErrorIs(t, err, client.ErrUnsent)
}

func TestClient_ACallerThatLeavesDoesNotMakeOthersWait(t *testing.T) {
	t.Parallel()
	c := newClient(t, stdio("mcp-go"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Call(ctx, client.CallParams{Name: "tool_1"})
	assert.ErrorIs(t, err, client.ErrUnsent)
	_, err = c.Call(t.Context(), client.CallParams{Name: "tool_1"})
	assert.NoError(t, err)
}
