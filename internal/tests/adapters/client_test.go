package adapters_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A client is one client of a server: one stream connection, or one HTTP
// session. It speaks JSON-RPC itself.
type client struct {
	*session
	who string // the caller of the requests
}

// A session is the state that all callers of one client share.
type session struct {
	t            *checkRun
	server       *server
	capabilities string
	// person answers a question with the raw result of elicitation/create. It
	// runs on its own goroutine. Nil means that the method doesn't exist.
	person func(question) string

	conn io.ReadWriteCloser // nil over HTTP
	id   atomic.Pointer[string]
	next atomic.Int64

	notified atomic.Int64 // number of progress notifications
	// reading and writing are locks made of channels, so that waiting for them
	// also ends in a testing/synctest bubble.
	reading, writing chan struct{}

	mu      sync.Mutex
	waiting map[int64]*pending
	ended   chan struct{} // closed when the stream ends
}

// A pending request waits for its response.
type pending struct {
	c        *client
	id       int64
	sent     string
	response chan message
	failed   chan string
	cancel   context.CancelFunc // hangs up over HTTP

	mu       sync.Mutex
	progress []message
	heard    chan struct{} // gets a value for each progress notification
}

// client connects a client whose user can be asked in both modes, and opens
// URLs without doing anything there.
func (s *server) client(who string) *client { return s.connect(who, formsAndURLs, nil) }

// connect connects a client with the given capabilities and person.
func (s *server) connect(who, capabilities string, person func(question) string) *client {
	c := &client{&session{
		t: s.t, server: s, capabilities: capabilities, person: person,
		waiting: map[int64]*pending{}, ended: make(chan struct{}), reading: make(chan struct{}, 1), writing: make(chan struct{}, 1),
	}, who}
	if !s.t.wire.http {
		c.conn = s.stream()
		go c.read()
		s.t.atEnd(func() {
			_ = c.conn.Close()
			<-c.ended
		})
	}
	if s.t.wire.version == older {
		c.initialize()
	}
	return c
}

// as returns the same client making requests as another caller.
func (c *client) as(who string) *client { return &client{c.session, who} }

func (c *client) initialize() {
	a := c.do(request{method: "initialize", raw: `{"protocolVersion":"` + string(older) + `","capabilities":` + c.capabilities +
		`,"clientInfo":{"name":"adapters","version":"1.0.0"}}`})
	var result struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	a.into(&result)
	a.expect(result.ProtocolVersion == string(older), "the protocol version %s", older)
	c.notify(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// call calls a tool and returns the answer.
func (c *client) call(tool, arguments string) answer {
	return c.do(call{tool: tool, arguments: arguments}.request())
}

// send makes a call and returns the answer.
func (c *client) send(sent call) answer { return c.do(sent.request()) }

// do sends a request and waits for the answer.
func (c *client) do(r request) answer { return c.start(r).wait() }

// doAs sends a request of another version, with other capabilities, on a
// stream.
func (c *client) doAs(v version, capabilities string, r request) answer {
	return c.startAs(v, capabilities, r).wait()
}

// start sends a request.
func (c *client) start(r request) *pending { return c.startAs(c.t.wire.version, c.capabilities, r) }

func (c *client) startAs(v version, capabilities string, r request) *pending {
	p := &pending{c: c, id: c.next.Add(1), response: make(chan message, 1), failed: make(chan string, 1), heard: make(chan struct{},
		1000)}
	p.sent = r.text(p.id, v, capabilities)
	c.mu.Lock()
	c.waiting[p.id] = p
	c.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	if c.t.wire.http {
		c.t.atEnd(cancel)
		go c.post(ctx, p, r)
		return p
	}
	c.server.mu.Lock()
	c.server.current = c.who
	c.server.mu.Unlock()
	if err := c.writeLine(p.sent); err != nil {
		c.t.broken("sent %s; the stream failed: %v", cut(p.sent), err)
	}
	return p
}

// wait waits for the answer.
func (p *pending) wait() answer {
	t := p.c.t
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case m := <-p.response:
		return p.answer(m)
	case fault := <-p.failed:
		select {
		case m := <-p.response: // the response ended with the stream
			return p.answer(m)
		default:
		}
		t.broken("sent %s; %s; expected an answer", cut(p.sent), fault)
	case <-p.c.ended:
		select {
		case m := <-p.response:
			return p.answer(m)
		default:
		}
		t.broken("sent %s; the stream ended; expected an answer", cut(p.sent))
	case <-timer.C:
		t.broken("sent %s; expected an answer within %v", cut(p.sent), t.patience)
	}
	return answer{}
}

func (p *pending) answer(m message) answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return answer{t: p.c.t, sent: p.sent, message: m, progress: p.progress}
}

// hangUp cancels the request the way a client does: with a notification in a
// session, or by closing the connection over HTTP. In the older version,
// closing the connection alone cancels nothing (MCP 2025-11-25, transports).
func (p *pending) hangUp() {
	if w := p.c.t.wire; !w.http || w.version == older && p.c.t.Capabilities.Sessions {
		p.c.notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.FormatInt(p.id, 10) + `}}`)
	}
	if p.c.t.wire.http {
		p.cancel()
	}
}

// pause stops reading the stream until resume is called. resume may be called
// twice.
func (c *client) pause() (resume func()) {
	c.reading <- struct{}{}
	return sync.OnceFunc(func() { <-c.reading })
}

// notify sends a notification.
func (c *client) notify(text string) {
	if !c.t.wire.http {
		if err := c.writeLine(text); err != nil {
			c.t.broken("sent %s; the stream failed: %v", cut(text), err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.t.patience)
	defer cancel()
	if response, err := c.exchange(ctx, text, request{}); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

func (c *session) writeLine(text string) error {
	c.writing <- struct{}{}
	defer func() { <-c.writing }()
	_, err := io.WriteString(c.conn, text+"\n")
	return err
}

// read reads the stream until it ends.
func (c *client) read() {
	defer close(c.ended)
	for lines := bufio.NewReader(c.conn); ; {
		line, err := lines.ReadString('\n')
		c.reading <- struct{}{}
		<-c.reading
		if line = strings.TrimSpace(line); line != "" {
			c.dispatch(line)
		}
		if err != nil {
			return
		}
	}
}

// dispatch handles a message from the server.
func (c *client) dispatch(text string) {
	m := message{text: text}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return // no request is waiting for it
	}
	switch {
	case m.Method != "" && len(m.ID) > 0:
		go c.reply(m)
	case m.Method == "notifications/progress":
		c.notified.Add(1)
		c.heard(m)
	case m.Method == "":
		var id int64
		if json.Unmarshal(m.ID, &id) != nil {
			return
		}
		c.mu.Lock()
		p := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if p != nil {
			p.response <- m
		}
	}
}

// heard adds a progress notification to the requests that have its token.
func (c *client) heard(m message) {
	var params struct {
		ProgressToken json.RawMessage `json:"progressToken"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.waiting {
		if strings.Contains(p.sent, `"progressToken":`+string(params.ProgressToken)) {
			p.mu.Lock()
			p.progress = append(p.progress, m)
			p.mu.Unlock()
			select {
			case p.heard <- struct{}{}:
			default:
			}
		}
	}
}

// reply answers a request from the server.
func (c *client) reply(m message) {
	var q question
	if m.Method != "elicitation/create" || c.person == nil || json.Unmarshal(m.Params, &q) != nil {
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, m.ID))
		return
	}
	if result := c.person(q); result != "" {
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
	}
}

// write sends a message that needs no answer, from any goroutine. If sending
// fails, the check ends because an answer is missing.
func (c *client) write(text string) {
	if !c.t.wire.http {
		_ = c.writeLine(text)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.t.patience)
	defer cancel()
	if response, err := c.exchange(ctx, text, request{}); err == nil {
		_ = response.Body.Close()
	}
}

// post sends a request over HTTP and handles all messages in the response.
func (c *client) post(ctx context.Context, p *pending, r request) {
	response, err := c.exchange(ctx, p.sent, r)
	if err != nil {
		p.failed <- fmt.Sprintf("the request failed: %v", err)
		return
	}
	defer func() { _ = response.Body.Close() }()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" && r.method == "initialize" {
		c.id.Store(&id)
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/event-stream" {
		c.events(response.Body)
	} else if body, err := io.ReadAll(response.Body); err == nil {
		c.dispatch(string(bytes.TrimSpace(body)))
	}
	p.failed <- fmt.Sprintf("the response with status %d ended", response.StatusCode)
}

// events handles the messages of an event stream.
func (c *client) events(body io.Reader) {
	var data strings.Builder
	for lines := bufio.NewReader(body); ; {
		line, err := lines.ReadString('\n')
		line = strings.TrimRight(line, "\r\n")
		if text, ok := strings.CutPrefix(line, "data:"); ok {
			data.WriteString(strings.TrimPrefix(text, " "))
		}
		if (line == "" || err != nil) && data.Len() > 0 {
			c.dispatch(data.String())
			data.Reset()
		}
		if err != nil {
			return
		}
	}
}

// exchange posts one message.
func (c *client) exchange(ctx context.Context, text string, r request) (*http.Response, error) {
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", "application/json, text/event-stream")
	if r.method != "initialize" {
		post.Header.Set("Mcp-Protocol-Version", string(c.t.wire.version))
	}
	if c.t.wire.version == newer && r.method != "" {
		post.Header.Set("Mcp-Method", r.method)
		if r.name != "" {
			post.Header.Set("Mcp-Name", r.name)
		}
	}
	if c.who != nobody {
		post.Header.Set("Authorization", "Bearer "+c.who)
	}
	if id := c.id.Load(); id != nil {
		post.Header.Set("Mcp-Session-Id", *id)
	}
	for name, value := range r.headers {
		post.Header.Set(name, value)
	}
	return c.server.web.client.Do(post)
}
