package cli

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/trust"
)

// Lines returns a writer for untrusted text, such as a server's log. It prints
// the text to Stderr line by line, strips terminal control characters, and
// drops the lines for which hidden returns true. A nil hidden drops none. An
// incomplete last line is printed when the command ends.
func (t *Terminal) Lines(hidden func(line []byte) bool) io.Writer {
	w := &lineWriter{on: t, hidden: hidden}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writers = append(t.writers, w)
	return w
}

type lineWriter struct {
	on     *Terminal
	hidden func(line []byte) bool

	mu   sync.Mutex
	rest []byte // an incomplete line
}

const maxLineBytes = 64 << 10

// Write prints the complete lines.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole && len(w.rest) < maxLineBytes {
			return len(p), nil
		}
		w.rest = rest
		w.print(line)
		if !whole {
			return len(p), nil
		}
	}
}

func (w *lineWriter) print(line []byte) {
	if w.hidden != nil && w.hidden(line) {
		return
	}
	clean, _ := trust.Sanitize(string(line))
	clean = inert(clean)
	w.on.Note("%s", strings.ReplaceAll(strings.TrimRight(clean, " \n"), "\n", " ")) // a carriage return becomes a line feed
}

// finish prints the incomplete last line.
func (w *lineWriter) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.print(w.rest)
		w.rest = nil
	}
}
