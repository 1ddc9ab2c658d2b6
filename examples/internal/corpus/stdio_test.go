package corpus_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A message is sent to a server. Text is from the script, and is expanded when
// it is sent.
type message struct {
	text    string
	silent  bool
	headers []string // over HTTP
	// answer returns the reply to a request of the server's.
	answer func(id json.RawMessage) string
}

// An envelope is the part of a message that identifies its kind.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

func (e envelope) isRequest() bool { return e.Method != "" && e.ID != nil }

func (e envelope) isResponse() bool { return e.Method == "" }

// A wire carries messages to a server and records them.
type wire interface {
	// send returns the response, empty if there is none.
	send(t *testing.T, m message) string
}

type stdioWire struct {
	process *process
	rec     *recording
}

func (w *stdioWire) write(t *testing.T, text string) {
	t.Helper()
	w.rec.sent(text)
	_, err := w.process.in.Write([]byte(w.rec.mask.expand(text) + "\n"))
	require.NoError(t, err)
}

func (w *stdioWire) send(t *testing.T, m message) string {
	t.Helper()
	w.write(t, m.text)
	for !m.silent {
		line, err := w.process.out.ReadString('\n')
		require.NoError(t, err, "no answer to %s", cut(m.text, 0))
		line = strings.TrimSuffix(line, "\n")
		w.rec.received(line)
		var e envelope
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		switch {
		case e.isRequest():
			w.write(t, m.answer(e.ID))
		case e.isResponse():
			return line
		}
	}
	return ""
}
