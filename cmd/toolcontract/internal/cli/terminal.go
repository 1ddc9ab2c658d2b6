package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// A Terminal is where a command reads and prints. Results go to Stdout,
// questions and progress to Stderr.
type Terminal struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// JSON is the -json flag.
	JSON bool

	mu       sync.Mutex // guards the fields below, and Stderr
	progress bool       // the last line of Stderr is progress
	shownAt  time.Time  // when it was written
	writers  []*lineWriter
}

// Print prints the value as JSON if -json is set, and the text otherwise.
func (t *Terminal) Print(value any, text string) error {
	t.clear()
	if !t.JSON {
		_, err := t.Stdout.Write([]byte(strings.TrimRight(text, "\n") + "\n"))
		return err
	}
	encoded, err := JSON(value, "")
	if err != nil {
		return err
	}
	_, err = t.Stdout.Write(encoded)
	return err
}

// Note prints a line for the person to Stderr.
func (t *Terminal) Note(format string, args ...any) { t.Prompt(format+"\n", args...) }

// Prompt prints text to Stderr and leaves the cursor after it.
func (t *Terminal) Prompt(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
	fmt.Fprintf(t.Stderr, format, args...)
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Interactive reports whether a person can answer questions: whether both Stdin
// and Stderr are terminals.
func (t *Terminal) Interactive() bool { return IsTerminal(t.Stdin) && IsTerminal(t.Stderr) }

// Width returns the width of Stdout if it is a terminal, and 0 otherwise: lines
// in a pipe are never cut.
func (t *Terminal) Width() int { return width(t.Stdout) }

func width(w io.Writer) int {
	if !IsTerminal(w) {
		return 0
	}
	columns, _, err := term.GetSize(int(w.(*os.File).Fd())) //nolint:forcetypeassert // it is a terminal
	if err != nil || columns < 20 {
		return 0
	}
	return columns
}

// Columns returns how many columns to wrap text to on Stdout: the terminal's
// width up to 100, or 80 in a pipe.
func (t *Terminal) Columns() int { return t.columns(t.Stdout) }

// columns is [Terminal.Columns] for any writer.
func (t *Terminal) columns(w io.Writer) int {
	if n := width(w); n > 0 {
		return min(n, 100)
	}
	return 80
}

// A Style is how text looks on a terminal.
type Style string

// The styles.
const (
	Bold   Style = "1"
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Paint returns the text in a style if the stream is a terminal with colours
// and NO_COLOR is not set.
func Paint(w io.Writer, s Style, text string) string {
	if !IsTerminal(w) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// Progress shows how far a long command has got, on one line of Stderr that the
// next text replaces. It shows nothing if Stderr is not a terminal. It may be
// called often, and concurrently.
func (t *Terminal) Progress(format string, args ...any) {
	if !IsTerminal(t.Stderr) || os.Getenv("TERM") == "dumb" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.shownAt) < 100*time.Millisecond {
		return
	}
	line := Cut(OneLine(fmt.Sprintf(format, args...)), t.columns(t.Stderr)-1)
	t.clearLine()
	fmt.Fprint(t.Stderr, Paint(t.Stderr, Faint, line))
	t.progress = true
	t.shownAt = time.Now()
}

// finish ends the command's output on Stderr.
func (t *Terminal) finish() {
	t.mu.Lock()
	writers := t.writers
	t.mu.Unlock()
	for _, w := range writers {
		w.finish()
	}
	t.clear()
}

// clear erases the progress line.
func (t *Terminal) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLine()
}

func (t *Terminal) clearLine() {
	if t.progress {
		fmt.Fprint(t.Stderr, "\r\x1b[K")
		t.progress = false
	}
}
