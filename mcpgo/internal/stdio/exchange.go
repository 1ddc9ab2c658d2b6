package stdio

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"time"
)

const (
	// methodListen is a request that lasts as long as the session.
	methodListen = "subscriptions/listen"
	// methodCall is the request that shortcuts answer.
	methodCall = "tools/call"
	// methodCancelled ends a call, also one that a shortcut took.
	methodCancelled = "notifications/cancelled"
)

// An exchange counts the requests that were read and are not answered yet. The
// server writes its messages to it, each in one call of Write.
type exchange struct {
	outMu sync.Mutex
	out   io.Writer

	mu    sync.Mutex
	open  map[string]int // requests for the server, by id; a client may use an id twice
	count int            // of these requests and of those that a shortcut took
	idle  chan struct{}  // closed when count is 0; nil if nobody waits
}

func newExchange(out io.Writer) *exchange {
	return &exchange{out: out, open: map[string]int{}}
}

// receive counts a message for the server if it is a request that the server
// will answer.
func (x *exchange) receive(line []byte) (r request) {
	if r = readRequest(line); r.id == "" {
		return r
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open[r.id]++
	x.count++
	return r
}

// openTaken counts a request that a shortcut took.
func (x *exchange) openTaken() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count++
}

// closeTaken counts the answer of a shortcut.
func (x *exchange) closeTaken() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closeOne()
}

// withdraw takes back a message that the server will not see after all.
func (x *exchange) withdraw(line []byte) {
	if r := readRequest(line); r.id != "" {
		x.closeRequest(r.id)
	}
}

// countOpen returns the number of requests without an answer.
func (x *exchange) countOpen() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.count
}

// Write implements [io.Writer]. It never fails, because after a failed write
// mcp-go would drop the calls that are running. If the client is gone, the end
// of its input shows it.
func (x *exchange) Write(message []byte) (int, error) {
	x.send(message)
	if id := responseID(message); id != "" {
		x.closeRequest(id)
	}
	return len(message), nil
}

func (x *exchange) send(message []byte) {
	x.outMu.Lock()
	defer x.outMu.Unlock()
	_, _ = x.out.Write(message)
}

// closeRequest counts the answer of the server to a request.
func (x *exchange) closeRequest(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open[id] == 0 {
		return
	}
	if x.open[id]--; x.open[id] == 0 {
		delete(x.open, id)
	}
	x.closeOne()
}

// closeOne counts an answer. The caller holds mu.
func (x *exchange) closeOne() {
	if x.count--; x.count == 0 && x.idle != nil {
		close(x.idle)
		x.idle = nil
	}
}

// wait waits until every request is answered, but no longer than limit. It
// reports whether every request is.
func (x *exchange) wait(limit time.Duration) bool {
	x.mu.Lock()
	if x.count == 0 {
		x.mu.Unlock()
		return true
	}
	if x.idle == nil {
		x.idle = make(chan struct{})
	}
	idle := x.idle
	x.mu.Unlock()
	select {
	case <-idle:
		return true
	case <-time.After(limit):
		return false
	}
}

// A request is what this package needs to know about a message of the client.
type request struct {
	id          string // of a request that will be answered; "" for any other message
	isCall      bool
	isCancelled bool // a notification that a call was cancelled
}

// IsCall reports whether mcp-go reads a line as a tools/call that it answers.
func IsCall(line []byte) bool {
	r := readRequest(line)
	return r.isCall && r.id != ""
}

// readRequest reads a message as mcp-go does. A message that could also be a
// response does not count as a call.
func readRequest(line []byte) request {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		Method  string          `json:"method"`
		ID      any             `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(line, &m) != nil {
		return request{}
	}
	if m.ID == nil && m.Method == methodCancelled {
		return request{isCancelled: true}
	}
	if m.Method == "" || m.Result != nil && string(m.Result) != "null" || m.Method == methodListen {
		return request{}
	}
	return request{id: idKey(m.ID), isCall: m.Method == methodCall && m.Result == nil && m.Error == nil}
}

// responseID returns the id of a response, and "" for any other message. It
// stops at the result, because mcp-go writes the id first.
func responseID(message []byte) string {
	dec := json.NewDecoder(bytes.NewReader(message))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	id := ""
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return ""
		}
		switch key {
		case "result", "error":
			return id
		case "method":
			return ""
		}
		var value any
		if dec.Decode(&value) != nil {
			return ""
		}
		if key == "id" {
			id = idKey(value)
		}
	}
	return ""
}

// idKey returns a key for an id that differs for the number 1 and the string
// "1". It is empty if there is no id. mcp-go answers an id of any JSON type,
// and json.Marshal writes the id as mcp-go does.
func idKey(id any) string {
	if id == nil {
		return ""
	}
	key, err := json.Marshal(id)
	if err != nil {
		return "" // not from JSON
	}
	return string(key)
}
