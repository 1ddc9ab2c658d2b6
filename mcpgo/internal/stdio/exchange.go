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
	// methodCall is a request that [Server].Call can answer.
	methodCall = "tools/call"
	// methodCancelled ends a call that [Server].Take took.
	methodCancelled = "notifications/cancelled"
)

// An exchange counts the requests that the server read and has not answered
// yet. The server writes to it: whole messages, one at a time.
type exchange struct {
	writing sync.Mutex
	out     io.Writer

	mu      sync.Mutex
	open    map[string]int // the requests that the server read, by id; a client may use one twice
	count   int            // of these and of the taken requests
	waiting chan struct{}  // closed when count is 0; nil if no call waits
}

func newExchange(out io.Writer) *exchange {
	return &exchange{out: out, open: map[string]int{}}
}

// received counts a message if it is a request that will be answered.
func (x *exchange) received(line []byte) (r request) {
	if r = readRequest(line); r.id == "" {
		return r
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.open[r.id]++
	x.count++
	return r
}

// taken counts a request that the server does not see.
func (x *exchange) taken() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.count++
}

// settle counts the answer to a taken request.
func (x *exchange) settle() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closeOne()
}

// withdrawn takes back a received message that the server will not see.
func (x *exchange) withdrawn(line []byte) {
	if r := readRequest(line); r.id != "" {
		x.answered(r.id)
	}
}

// unanswered returns the number of open requests.
func (x *exchange) unanswered() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.count
}

// Write implements [io.Writer]. It never fails, because mcp-go would drop what
// is running after a failed write. A client that is gone ends its input.
func (x *exchange) Write(message []byte) (int, error) {
	x.send(message)
	if id := answeredID(message); id != "" {
		x.answered(id)
	}
	return len(message), nil
}

func (x *exchange) send(message []byte) {
	x.writing.Lock()
	defer x.writing.Unlock()
	_, _ = x.out.Write(message)
}

func (x *exchange) answered(id string) {
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
	if x.count--; x.count == 0 && x.waiting != nil {
		close(x.waiting)
		x.waiting = nil
	}
}

// settled waits until no request is open, at most for limit, and reports
// whether none is.
func (x *exchange) settled(limit time.Duration) bool {
	x.mu.Lock()
	if x.count == 0 {
		x.mu.Unlock()
		return true
	}
	if x.waiting == nil {
		x.waiting = make(chan struct{})
	}
	waiting := x.waiting
	x.mu.Unlock()
	select {
	case <-waiting:
		return true
	case <-time.After(limit):
		return false
	}
}

// A request is the part of a client's message that this package reads.
type request struct {
	id          string // of a request that will be answered; "" for any other message
	isCall      bool
	isCancelled bool // a notification that a call was cancelled
}

// readRequest reads a message as mcp-go does. A message that could also be a
// response is no call.
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

// answeredID returns the id of a response, and "" for any other message. It
// stops at the result, because mcp-go writes the id before it.
func answeredID(message []byte) string {
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

// idKey returns a key that distinguishes ids, also the number 1 from the string
// "1". It is empty for no id. mcp-go answers an id of any JSON type, and
// json.Marshal writes it as mcp-go does.
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
