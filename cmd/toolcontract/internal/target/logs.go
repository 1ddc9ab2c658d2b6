package target

import (
	"bytes"
	"sync"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

const keptLogBytes = 4 << 10

// A serverLog keeps the end of what a server writes to stderr, and shows the
// newest line as progress.
type serverLog struct {
	on *cli.Terminal

	mu   sync.Mutex
	tail []byte
}

func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.tail = append(l.tail, p...)
	l.tail = l.tail[max(0, len(l.tail)-keptLogBytes):]
	l.mu.Unlock()
	if lines := bytes.Split(bytes.TrimSpace(p), []byte("\n")); len(lines[len(lines)-1]) > 0 {
		l.on.Progress("%s", lines[len(lines)-1])
	}
	return len(p), nil
}

// note prints the end of the log after the server has failed.
func (l *serverLog) note() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := bytes.TrimSpace(l.tail); len(end) > 0 {
		_, _ = l.on.Lines(nil).Write(append(end, '\n')) // it never returns an error
	}
	l.tail = nil
}
