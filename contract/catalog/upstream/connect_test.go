package upstream_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/catalog/upstream"
)

// A mute is a transport to a server that accepts everything and never answers.
type mute struct{}

func (mute) Connect(context.Context, func(json.RawMessage)) (upstream.Conn, error) {
	return muteConn{}, nil
}

type muteConn struct{}

func (muteConn) Exchange(ctx context.Context, _ upstream.Message) (json.RawMessage, error) {
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
		_, err := upstream.New(mute{}).Call(t.Context(), "a", nil)
		assert.ErrorIs(t, err, upstream.ErrUnavailable)
		assert.Equal(t, 30*time.Second, time.Since(began))
	})
}

func TestNew_ClientWithANilOptionFails(t *testing.T) {
	t.Parallel()
	c := upstream.New(mute{}, nil)
	_, err := c.ListTools(t.Context())
	require.Error(t, err)
	_, err = c.Call(t.Context(), "a", nil)
	assert.ErrorIs(t, err, upstream.ErrUnavailable)
}
