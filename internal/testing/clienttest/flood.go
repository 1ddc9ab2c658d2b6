// Package clienttest tests clients of MCP servers. It provides a server whose
// answer to tools/call far exceeds the message limit, and a transport that
// hides the newest protocol version.
package clienttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// tool is the name of the only tool. Its hints promise that it only reads.
const tool = "read"

// overHTTP returns a server for each form of an HTTP response, by name.
func overHTTP() map[string]*server {
	return map[string]*server{
		"a body":                  {},
		"an event":                {stream: true},
		"an event of many lines":  {stream: true, lines: "\n"},
		"an event of lines, CRLF": {stream: true, lines: "\r\n"},
	}
}

// A server counts calls. The zero value answers them with one JSON message.
type server struct {
	// stream answers over HTTP with one event of an event stream instead.
	stream bool
	// lines is the line break, such as "\n", that splits an event into many
	// lines. If empty, the event is one line.
	lines string

	calls atomic.Int64
}

// The beginning and the end of the answer to a call.
const (
	beginning = `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`
	end       = `"}]}}` + "\n\n"
)

// answer answers a request. It ignores a notification.
func (s *server) answer(w io.Writer, body []byte) {
	var request struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(body, &request) != nil || len(request.ID) == 0 {
		return
	}
	switch request.Method {
	case "initialize":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"tools":{}},"serverInfo":{"name":"flood","version":"1"}}}`+"\n", request.ID)
	case "tools/list":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":%q,"inputSchema":{"type":"object"},`+
			`"annotations":{"readOnlyHint":true,"destructiveHint":false}}]}}`+"\n", request.ID, tool)
	case "tools/call":
		s.calls.Add(1)
		s.flood(w, request.ID)
	default:
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}`+"\n", request.ID)
	}
}

// flood writes an answer of 64 MiB, or less if the reader stops. The answer
// ends, so that the test of a client without a limit fails before memory runs
// out.
func (s *server) flood(w io.Writer, id json.RawMessage) {
	const lineBytes, lines = 64 << 10, 1024
	line := strings.Repeat("x", lineBytes)
	if s.lines != "" {
		line = s.lines + "data: " + line
	}
	if s.stream {
		_, _ = io.WriteString(w, "data: ")
	}
	_, err := fmt.Fprintf(w, beginning, id)
	for i := 0; i < lines && err == nil; i++ {
		_, err = io.WriteString(w, line)
	}
	if err == nil {
		_, _ = io.WriteString(w, end)
	}
}

// ServeHTTP implements [http.Handler].
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch text := string(body); {
	case strings.Contains(text, `"notifications/`):
		w.WriteHeader(http.StatusAccepted)
		return
	case s.stream && strings.Contains(text, `"tools/call"`):
		w.Header().Set("Content-Type", "text/event-stream")
	}
	s.answer(w, body)
}

// Serve serves line-delimited messages until the input ends.
func Serve(in io.Reader, out io.Writer) {
	s := &server{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		s.answer(out, lines.Bytes())
	}
}
