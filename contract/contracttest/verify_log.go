package contracttest

import (
	"bytes"
	"encoding/json"
	"log"
	"sync"
)

// A textLog collects text. It is safe for concurrent use.
type textLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends p.
func (l *textLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns the text so far.
func (l *textLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// logged collects what f writes to the standard log. Only the one test of a
// child process may do so.
func (l *textLog) logged(f func()) {
	was := log.Writer()
	log.SetOutput(l)
	defer log.SetOutput(was)
	f()
}

func encodedJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}
