package mcpgo

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// tooLongLine is handed to mcp-go in place of a line beyond the limit: it is no
// JSON, and gets the answer for that.
const tooLongLine = "!\n"

// An input is what mcp-go reads: the lines of a stream, each bounded, whose end
// is held back until end is called.
type input struct {
	lines    chan []byte
	exchange *exchange
	rest     []byte // of the line being read

	// exhausted is closed when every line of the stream has been read.
	exhausted chan struct{}
	stopped   chan struct{}
	ended     chan struct{}
	stop      func() // no further line is handed out
	end       func() // readers get io.EOF
}

// newInput starts to read in, one line ahead of mcp-go.
func newInput(in io.Reader, limit int, x *exchange) *input {
	i := &input{
		lines: make(chan []byte), exchange: x,
		exhausted: make(chan struct{}), stopped: make(chan struct{}), ended: make(chan struct{}),
	}
	i.stop = sync.OnceFunc(func() { close(i.stopped) })
	i.end = sync.OnceFunc(func() { close(i.ended) })
	go i.pump(bufio.NewReaderSize(in, envelopeBytes), limit)
	return i
}

func (i *input) pump(in *bufio.Reader, limit int) {
	defer close(i.lines)
	for {
		line, err := readLine(in, limit)
		if len(line) > 0 {
			select {
			case i.lines <- line:
			case <-i.stopped:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line with its end, also where the stream ends
// without one: mcp-go would drop it.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > limit; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong:
			return []byte(tooLongLine), err
		case err != nil && len(line) > 0:
			line = append(line, '\n')
		}
		return line, err
	}
}

// Read implements [io.Reader] for one reader.
func (i *input) Read(p []byte) (int, error) {
	for len(i.rest) == 0 {
		select {
		case <-i.stopped:
			<-i.ended
			return 0, io.EOF
		default:
		}
		select {
		case line, ok := <-i.lines:
			if !ok {
				close(i.exhausted)
				<-i.ended
				return 0, io.EOF
			}
			i.exchange.received(line)
			i.rest = line
		case <-i.stopped:
		}
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
