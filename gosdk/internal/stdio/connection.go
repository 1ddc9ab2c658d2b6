package stdio

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// aheadBytes bounds the input that is read ahead of the SDK.
	aheadBytes = 16 << 20
	// lineBytes is the memory that a line takes besides its text.
	lineBytes = 256
	// readBytes is the size of the read buffer.
	readBytes = 64 << 10
	// maxOpen bounds the requests that run at once. The SDK itself starts a
	// goroutine for each request that it can read.
	maxOpen = 128
)

// A Connection connects the SDK to two streams. It is an [mcp.Transport] for
// one session, and its own [mcp.Connection].
type Connection struct {
	id       string
	exchange *exchange
	check    func(*jsonrpc.Request) *jsonrpc.Error

	out     io.Writer
	writing chan struct{} // holds one token while a message is written

	// exhausted is closed when the input has ended or was stopped.
	exhausted chan struct{}

	mu      sync.Mutex
	changed sync.Cond           // when a field below changes
	urgent  []line              // read but not handed out; they overtake lines
	lines   []line              // read but not handed out
	held    map[jsonrpc.ID]bool // the ids of the requests in lines
	bytes   int                 // of urgent and lines
	stopped bool
	ended   bool
}

// A line is an input message and the memory it takes.
type line struct {
	message jsonrpc.Message
	bytes   int
}

var (
	_ mcp.Transport  = (*Connection)(nil)
	_ mcp.Connection = (*Connection)(nil)
)

// New returns a connection and starts reading in. Lines may be up to limit
// bytes long. id is the session's id. A request for which check returns an
// error is refused with it and does not reach the SDK; a nil check accepts
// everything.
func New(id string, in io.Reader, out io.Writer, limit int, check func(*jsonrpc.Request) *jsonrpc.Error) *Connection {
	c := &Connection{
		id: id, exchange: newExchange(), check: check,
		out: out, writing: make(chan struct{}, 1), exhausted: make(chan struct{}), held: map[jsonrpc.ID]bool{},
	}
	c.changed.L = &c.mu
	go c.pump(bufio.NewReaderSize(in, readBytes), limit)
	return c
}

// Connect implements [mcp.Transport].
func (c *Connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements [mcp.Connection].
func (c *Connection) SessionID() string { return c.id }

func (c *Connection) pump(in *bufio.Reader, limit int) {
	defer close(c.exhausted)
	for {
		text, err := readLine(in, limit)
		text = bytes.TrimPrefix(text, mark)
		if errors.Is(err, errTooLong) {
			c.refuse(jsonrpc.ID{}, errLongLine)
		} else if !isBlank(text) && !c.accept(text) {
			return
		}
		if errors.Is(err, io.EOF) {
			return
		}
	}
}

// mark is the byte order mark of UTF-8, which some Windows programs write.
var mark = []byte("\ufeff")

func isBlank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

// accept handles one line. It returns false once the connection is stopped.
func (c *Connection) accept(text []byte) bool {
	message, refused := decode(text)
	if refused != nil {
		c.refuse(jsonrpc.ID{}, refused)
		return true
	}
	req, _ := message.(*jsonrpc.Request)
	if !isOpen(req) {
		return c.put(line{message, len(text) + lineBytes})
	}
	// Count a request before handing it on, so that the end of the input does
	// not overtake it.
	if !c.exchange.received(req.ID) {
		c.refuse(req.ID, errIDInUse)
		return true
	}
	if c.check != nil {
		if refused := c.check(req); refused != nil {
			c.exchange.answered(req.ID)
			c.refuse(req.ID, refused)
			return true
		}
	}
	if !c.put(line{message, len(text) + lineBytes}) {
		c.exchange.answered(req.ID)
		return false
	}
	return true
}

// isOpen reports whether a message is a request that waits for an answer.
func isOpen(req *jsonrpc.Request) bool {
	return req != nil && req.IsCall() && req.Method != methodListen
}

// put queues a line once there is room. It returns false once the connection is
// stopped. There is always room for one line.
func (c *Connection) put(l line) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.lines)+len(c.urgent) > 0 && c.bytes+l.bytes > aheadBytes && !c.stopped && !c.ended {
		c.changed.Wait()
	}
	if c.stopped || c.ended {
		return false
	}
	if c.isUrgent(l.message) {
		c.urgent = append(c.urgent, l)
	} else {
		c.lines = append(c.lines, l)
		if req, _ := l.message.(*jsonrpc.Request); isOpen(req) {
			c.held[req.ID] = true
		}
	}
	c.bytes += l.bytes
	c.changed.Broadcast()
	return true
}

// isUrgent reports whether running requests may need the message to finish: a
// response, or a cancellation.
func (c *Connection) isUrgent(m jsonrpc.Message) bool {
	if _, ok := m.(*jsonrpc.Response); ok {
		return true
	}
	id, ok := cancels(m)
	return ok && !c.held[id]
}

// Read implements [mcp.Connection].
func (c *Connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	defer context.AfterFunc(ctx, c.wake)()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m := c.take(); m != nil {
			return m, nil
		}
		if c.ended {
			return nil, io.EOF
		}
		c.changed.Wait()
	}
}

// take returns the next message to hand out, or nil. While maxOpen requests
// run, the next request waits, and so does everything read after it.
func (c *Connection) take() jsonrpc.Message {
	queue := &c.urgent
	if len(*queue) == 0 {
		queue = &c.lines
	}
	if len(*queue) == 0 {
		return nil
	}
	l := (*queue)[0]
	if req, _ := l.message.(*jsonrpc.Request); isOpen(req) && c.exchange.unanswered()-len(c.held) >= maxOpen {
		return nil
	}
	(*queue)[0] = line{}
	*queue = (*queue)[1:]
	c.bytes -= l.bytes
	if req, _ := l.message.(*jsonrpc.Request); req != nil {
		delete(c.held, req.ID)
	}
	c.changed.Broadcast()
	return l.message
}

func (c *Connection) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed.Broadcast()
}

// Write implements [mcp.Connection]. It does not report a failed write, because
// the SDK would cancel all calls. A client that is gone closes the input
// anyway.
func (c *Connection) Write(ctx context.Context, message jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	if err := c.write(ctx, raw); err != nil {
		return err
	}
	if response, ok := message.(*jsonrpc.Response); ok {
		c.exchange.answered(response.ID)
		c.wake()
	}
	return nil
}

// write writes one message. Only one write runs at a time.
func (c *Connection) write(ctx context.Context, raw []byte) error {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, _ = c.out.Write(append(raw, '\n'))
	<-c.writing
	return nil
}

func (c *Connection) refuse(id jsonrpc.ID, why *jsonrpc.Error) {
	if raw, err := refusal(id, why); err == nil {
		_ = c.write(context.Background(), raw) // cannot fail without a deadline
	}
}

// stop answers the requests that were not handed out with an error and drops
// all later lines.
func (c *Connection) stop() {
	c.mu.Lock()
	c.stopped = true
	held := c.held
	c.held = map[jsonrpc.ID]bool{}
	c.urgent = nil
	c.lines = nil
	c.bytes = 0
	c.changed.Broadcast()
	c.mu.Unlock()
	for id := range held {
		go func() { // the client may not be reading
			c.refuse(id, errNotServed)
			c.exchange.answered(id)
		}()
	}
}

// end lets the SDK see the end of the input after the lines that were read
// ahead.
func (c *Connection) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.changed.Broadcast()
}

// Close implements [mcp.Connection]. It does not close the streams.
func (c *Connection) Close() error {
	c.stop()
	c.end()
	return nil
}
