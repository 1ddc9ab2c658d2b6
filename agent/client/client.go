package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// A Client is a client of one server. It connects on first use, and again after
// the connection has ended, for example because the server crashed. Connecting
// may take 30 seconds. After a failed attempt it backs off, from 100
// milliseconds to 30 seconds, and requests fail at once meanwhile. Make one
// with [New]. It is safe for concurrent use.
type Client struct {
	transport Transport
	asks      bool  // whether servers may ask
	wrong     error // of the options
	changed   chan struct{}
	next      atomic.Int64 // ids of requests
	changes   atomic.Int64 // how often the list has changed

	dialing chan struct{} // a lock that can be waited for with a context
	mu      sync.Mutex
	link    *link // nil: not connected
	dialed  bool  // has been connected before
	pause   time.Duration
	retry   time.Time // the end of the pause
	pending map[string]*pendingCall
	closed  bool
}

var (
	errNilOption   = errors.New("client: an option is nil; leave it out")
	errNoTransport = errors.New("client: the transport is nil; pass one such as client.HTTP")
)

// New returns a client, without connecting yet. With a nil option it never
// connects, and its requests fail.
func New(t Transport, opts ...Option) *Client {
	c := &Client{
		transport: t, changed: make(chan struct{}, 1), dialing: make(chan struct{}, 1),
	}
	// Servers of the newest protocol have no session to tell the requests of
	// two clients apart.
	c.next.Store(rand.Int64N(1 << 52))
	if t == nil {
		c.wrong = errNoTransport
	}
	for _, o := range opts {
		if o == nil {
			c.wrong = errNilOption
			continue
		}
		o.applyTo(c)
	}
	return c
}

// An Option configures a [Client].
type Option interface{ applyTo(*Client) }

type optionFunc func(*Client)

func (f optionFunc) applyTo(c *Client) { f(c) }

// clientInfo is how the client introduces itself to servers.
var clientInfo = map[string]string{"name": "toolcontract", "version": "1"}

// WithElicitation declares that the client can ask a person, so that a server
// may answer a call with questions. [Client.Call] returns such an answer, and
// its caller passes it on. A session of [Client.Dial] has a [Person] instead.
// Default: servers cannot ask.
func WithElicitation() Option { return optionFunc(func(c *Client) { c.asks = true }) }

// Changed gets a value when the server has reported that its list has changed,
// and after each new connection except the first. Values that are not received
// are merged into one.
func (c *Client) Changed() <-chan struct{} { return c.changed }

func (c *Client) noteChange() {
	c.changes.Add(1)
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Close ends the connection. Later calls are errors.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	l := c.link
	c.link = nil
	c.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.close()
}

// A link is a connection and what was negotiated on it.
type link struct {
	Conn

	person  Person
	asks    string // the capabilities of the client, as JSON
	version string
	server  string          // the name that the server gives itself
	hears   bool            // the server reports changes of its list
	life    context.Context //nolint:containedctx // the life of the connection
	end     context.CancelFunc
	asking  chan struct{} // holds one value for each question that is open
	served  atomic.Bool   // a request after the handshake was answered

	mu      sync.Mutex
	headers map[string]toolHeaders // by the names of the listed tools
	calls   map[int64]*openCall    // the running ones, by progress token
	left    time.Time              // when the last abandoned call was given up
}

func (l *link) close() error {
	l.end()
	return l.Close()
}

// closeLink closes a connection that may not exist.
func closeLink(l *link) error {
	if l == nil {
		return nil
	}
	return l.close()
}

// connected returns the connection, and opens it if there is none.
func (c *Client) connected(ctx context.Context) (*link, error) {
	select {
	case c.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, &unsentError{ctx.Err()}
	}
	defer func() { <-c.dialing }()
	if l, err := c.current(); l != nil || err != nil {
		return l, err
	}
	l, err := c.connect(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if errors.Is(ctx.Err(), context.Canceled) { // the server is not to blame
		return nil, &unsentError{errors.Join(err, closeLink(l))}
	}
	if err != nil {
		c.backOff()
		return nil, &unsentError{err}
	}
	if c.closed {
		return nil, &unsentError{errors.Join(errClosed, l.close())}
	}
	if c.dialed {
		c.noteChange()
	}
	c.link, c.dialed = l, true
	return l, nil
}

// backOff makes the client wait before it connects again, twice as long as the
// last time. The caller holds the lock.
func (c *Client) backOff() {
	c.pause = min(max(2*c.pause, minRedial), maxRedial)
	c.retry = time.Now().Add(c.pause)
}

var errPause = errors.New("client: the server could not be reached a moment ago")

// current returns the open connection, or nil. An error means that none may be
// opened now.
func (c *Client) current() (*link, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, &unsentError{errClosed}
	}
	if c.link != nil {
		select {
		case <-c.link.Done():
			c.link.end()
			c.link = nil
		default:
			return c.link, nil
		}
	}
	if time.Now().Before(c.retry) {
		return nil, &unsentError{errPause}
	}
	return nil, nil
}

// connect opens the client's connection and listens for changes of the list.
func (c *Client) connect(ctx context.Context) (*link, error) {
	l, err := c.open(ctx, Person{Form: c.asks, URL: c.asks})
	if err == nil && (l.hears || c.asks && l.version != modern) { // an older server may ask questions on that stream
		go c.listen(l)
	}
	return l, err
}

// open opens a connection and negotiates the protocol version. It has its own
// time limit, because a call may have no deadline.
func (c *Client) open(ctx context.Context, person Person) (*link, error) {
	if c.wrong != nil {
		return nil, c.wrong
	}
	ctx, stop := context.WithTimeout(ctx, connectTime)
	defer stop()
	life, end := context.WithCancel(context.Background())
	l := &link{life: life, end: end, person: person, asks: person.capabilities(), asking: make(chan struct{}, maxQuestions)}
	ready := make(chan struct{})
	conn, err := c.transport.Connect(ctx, func(body json.RawMessage) {
		select {
		case <-ready:
			c.receive(l, body, nil)
		default: // nothing is expected before the connection is returned
		}
	})
	if err != nil {
		end()
		return nil, err
	}
	l.Conn = conn
	close(ready)
	if err = c.agree(ctx, l); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

const (
	methodDiscover   = "server/discover"
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	listChanged      = "notifications/tools/list_changed"
)

// codeVersion is the code with which a modern server refuses a version and
// names those it speaks.
const codeVersion = -32022

var errUnknownVersion = errors.New("client: the server speaks no known version of the protocol")

// request sends a request on a connection and returns its result. The message
// has the method and whatever else transports need.
func (c *Client) request(ctx context.Context, l *link, m Message, params map[string]any) (json.RawMessage, error) {
	if l.version == modern {
		meta := map[string]any{}
		if own, ok := params["_meta"].(map[string]any); ok {
			maps.Copy(meta, own)
		}
		meta["io.modelcontextprotocol/protocolVersion"] = modern
		meta["io.modelcontextprotocol/clientInfo"] = clientInfo
		meta["io.modelcontextprotocol/clientCapabilities"] = json.RawMessage(l.asks)
		params["_meta"] = meta
	}
	m.ID = c.next.Add(1)
	m.Version = l.version
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "method": m.Method, "params": params})
	if err != nil {
		return nil, &unsentError{fmt.Errorf("client: the parameters cannot be written as JSON: %w", err)}
	}
	m.Body = body
	response, err := l.Exchange(ctx, m)
	if err != nil {
		c.noteForgotten(l, err)
		return nil, err
	}
	if m.Method != methodDiscover && m.Method != methodInitialize && !l.served.Swap(true) {
		c.mu.Lock()
		c.pause = 0
		c.mu.Unlock()
	}
	return readResponse(response)
}

// listen asks for notifications about the list until the connection ends.
func (c *Client) listen(l *link) {
	if l.version != modern {
		l.Listen()
		return
	}
	for pause := minRedial; l.life.Err() == nil; pause = min(2*pause, maxRedial) {
		// The response comes at the end of the stream.
		_, err := c.request(l.life, l, Message{Method: methodListen}, map[string]any{
			"notifications": map[string]bool{"toolsListChanged": true},
		})
		if _, refused := errors.AsType[*ServerError](err); refused {
			return
		}
		select {
		case <-time.After(pause):
		case <-l.Done():
			return
		case <-l.life.Done():
		}
	}
}

func cancellation(id int64) json.RawMessage {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}
