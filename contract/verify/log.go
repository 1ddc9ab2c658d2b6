package verify

import (
	"bytes"
	"encoding/json"
	"log"
	"sync"
)

// A Log collects what a handler logs, for [WithLog]:
//
//	var log verify.Log
//	server.Logger = slog.New(slog.NewTextHandler(&log, nil))
//
// The zero value is an empty log. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	written bytes.Buffer
}

// Write appends p to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(p)
}

// text returns what was written so far.
func (l *Log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.String()
}

// standard collects what f writes to the standard log. Only the one test of a
// child process may do so.
func (l *Log) standard(f func()) {
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
