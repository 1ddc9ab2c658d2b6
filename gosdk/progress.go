package gosdk

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
)

const (
	// progressQueue caps the notifications that wait for a slow client.
	progressQueue = 64
	// progressDrain is how long an answer waits for the notifications that were
	// reported before it.
	progressDrain = time.Second
)

// A progressSender sends the progress of one call from a queue, because the
// SDK's NotifyProgress waits for the client to read (mcp/server.go:1520).
type progressSender struct {
	session *mcp.ServerSession
	cancel  context.CancelFunc
	sent    chan struct{} // closed when the queue is empty after close

	mu     sync.Mutex
	queue  chan *mcp.ProgressNotificationParams
	closed bool
}

// newProgressSender returns nil for a call without a progressToken.
func newProgressSender(ctx context.Context, session *mcp.ServerSession, token any) *progressSender {
	if token == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &progressSender{
		session: session, cancel: cancel, sent: make(chan struct{}),
		queue: make(chan *mcp.ProgressNotificationParams, progressQueue),
	}
	go func() {
		defer close(p.sent)
		for params := range p.queue {
			_ = session.NotifyProgress(ctx, params) // progress is best effort
		}
	}()
	return p
}

// reporter returns the function for [adapter.Request.Progress], or nil if p is
// nil.
func (p *progressSender) reporter(token any) func(done, total float64, note string) {
	if p == nil {
		return nil
	}
	return adapter.Progress(token, p.put)
}

// put queues a notification. It drops it if the queue is full or the call was
// answered.
func (p *progressSender) put(params map[string]any) {
	n := &mcp.ProgressNotificationParams{ProgressToken: params["progressToken"]}
	n.Progress, _ = params["progress"].(float64)
	n.Total, _ = params["total"].(float64)
	n.Message, _ = params["message"].(string)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	select {
	case p.queue <- n:
	default:
	}
}

// drain sends what was reported before the answer, but does not wait long for a
// client that does not read.
func (p *progressSender) drain() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	close(p.queue)
	p.mu.Unlock()
	timer := time.NewTimer(progressDrain)
	defer timer.Stop()
	select {
	case <-p.sent:
	case <-timer.C:
	}
	p.cancel()
}
