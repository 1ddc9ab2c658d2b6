package client

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/internal/contain"
)

const (
	methodElicit = "elicitation/create"
	methodPing   = "ping"
)

// receive handles a notification or a request of the server. It came on the
// stream of the call of, or on that of none if of is nil.
func (c *Client) receive(l *link, body json.RawMessage, of *openCall) {
	var m incoming
	if json.Unmarshal(body, &m) != nil || m.Method == "" {
		return
	}
	if len(m.ID) == 0 || string(m.ID) == "null" {
		switch m.Method {
		case listChanged:
			c.noteChange()
		case methodProgress:
			l.report(m.Params)
		}
		return
	}
	switch {
	case m.Method == methodPing:
		l.reply(m.ID, "result", struct{}{})
	case m.Method == methodElicit && l.person.Elicit != nil:
		select {
		case l.asking <- struct{}{}:
			go l.ask(m)
		default:
			l.reply(m.ID, "error", map[string]any{"code": codeBusy, "message": "too many questions are open"})
		}
	case m.Method == methodElicit && l.person.Form:
		l.passOn(m, of)
	default:
		l.reply(m.ID, "error", map[string]any{"code": codeNoMethod, "message": "the method is not supported"})
	}
}

// The codes of errors with which the client answers a server.
const (
	codeNoMethod = -32601
	codeBusy     = -32603
)

// ask passes a question of an older server to the person. The person is code of
// others: its panic, or the end of its goroutine, is a question without an
// answer.
func (l *link) ask(m incoming) {
	defer func() { <-l.asking }()
	var answer json.RawMessage
	var err error
	ended := contain.Do(func() { answer, err = l.person.Elicit(l.life, m.Params) })
	if err != nil || ended != nil {
		l.reply(m.ID, "error", map[string]any{"code": codeBusy, "message": "the question could not be answered"})
		return
	}
	l.reply(m.ID, "result", answer)
}

// reply answers a request of the server.
func (l *link) reply(id json.RawMessage, member string, value any) {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, member: value})
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(l.life, replyTime)
	defer stop()
	_, _ = l.Exchange(ctx, Message{Body: text}) // the server may be gone
}
