package client

import (
	"encoding/json"
	"errors"

	"github.com/toolcontract/toolcontract/internal/servertext"
)

// The versions of the protocol that the client speaks.
const (
	modern   = "2026-07-28"
	sessions = "2025-11-25" // the newest version with initialize
)

// knownSessions are the versions that a server may choose in initialize.
var knownSessions = map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": true, sessions: true}

// An incoming is a message of the server.
type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// answers returns the id of the request that a message answers, and false for a
// message that answers none.
func answers(body json.RawMessage) (int64, bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	var id int64
	if json.Unmarshal(body, &m) != nil || m.Method != "" || json.Unmarshal(m.ID, &id) != nil {
		return 0, false
	}
	return id, true
}

// refuses reports whether a message is an error without an id, by which servers
// answer a request that they cannot read.
func refuses(body json.RawMessage) bool {
	var m incoming
	return json.Unmarshal(body, &m) == nil && m.Error != nil && m.Method == "" && (len(m.ID) == 0 || string(m.ID) == "null")
}

var errNoResponse = errors.New("client: the server answered with a message that is no response")

// readResponse returns the result of a response.
func readResponse(body json.RawMessage) (json.RawMessage, error) {
	var m incoming
	if json.Unmarshal(body, &m) != nil {
		return nil, errNoResponse
	}
	switch {
	case m.Error != nil:
		return nil, &ServerError{Code: m.Error.Code, Message: shownText(m.Error.Message), Data: m.Error.Data}
	case m.Result == nil:
		return nil, errNoResponse
	}
	return m.Result, nil
}

// maxErrorText bounds the text of a [ServerError], in bytes.
const maxErrorText = 1000

// shownText cleans and cuts a text of the server.
func shownText(text string) string {
	clean, _ := servertext.Bounded(text, maxErrorText)
	return clean
}
