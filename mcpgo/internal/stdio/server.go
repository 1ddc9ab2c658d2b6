package stdio

import (
	"context"
	"io"
	"time"
)

// A Server has the functions of a server that [Serve] needs. All fields but
// Shortcuts are required.
type Server struct {
	// Listen serves one session until in ends.
	Listen func(ctx context.Context, in io.Reader, out io.Writer) error
	// Shortcuts answer lines in place of Listen. The first that takes a line
	// answers it.
	Shortcuts []Shortcut
	// BeginDrain starts the drain time and returns its end.
	BeginDrain func() time.Time
	// Close ends what is running and waits until ctx is done.
	Close func(ctx context.Context) error
	// MaxLine bounds the length of a line, in bytes. A longer line reaches the
	// server as a line that is not JSON.
	MaxLine int
}

// A Shortcut answers some lines of a session exactly as Listen would, but
// without the queue and the goroutines of Listen, which saves time.
type Shortcut interface {
	// Take returns a function that answers a line, or nil for a line that
	// somebody else must answer. It is called while Listen waits for input, for
	// one line at a time. The functions that it returns are called
	// concurrently.
	Take(line []byte) (answer func() []byte)
	// Cancel gets each notifications/cancelled, which Listen gets too.
	Cancel(line []byte)
}
