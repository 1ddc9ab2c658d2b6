package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// tooLongLine replaces a line beyond the limit. It is not JSON, so the server
// answers with a parse error.
const tooLongLine = "!\n"

const (
	// aheadBytes bounds what is read ahead of the server. mcp-go reads nothing
	// while its queue is full, but the end of the stream must be noticed even
	// then.
	aheadBytes = 16 << 20
	// lineBytes is the memory that a line takes in addition to its text.
	lineBytes = 64
	// readBytes is the size of the read buffer.
	readBytes = 64 << 10
)

// An input is the stream that the server reads. Its lines are bounded, and its
// end is held back until end is called.
type input struct {
	exchange *exchange
	server   Server
	stream   *bufio.Reader // only for the reader whose turn it is
	readers  *readers
	rest     []byte // of the line being read

	// exhausted is closed when the stream has ended or was stopped.
	exhausted chan struct{}

	mu      sync.Mutex
	change  sync.Cond // of what follows
	lines   [][]byte  // read, but not handed to the server
	bytes   int       // that they take
	stopped bool
	ended   bool
	idle    bool // the server waits for a line, and has dealt with all lines before
}

// newInput starts to read in ahead of the server, and counts its requests in x.
func newInput(in io.Reader, x *exchange, s Server) *input {
	i := &input{exchange: x, server: s, stream: bufio.NewReaderSize(in, readBytes), exhausted: make(chan struct{})}
	i.change.L = &i.mu
	i.readers = newReaders(i.next, i.answer)
	go i.readers.run()
	return i
}

// stop drops the lines that were not handed to the server, and all later ones.
func (i *input) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	for _, line := range i.lines {
		i.exchange.withdraw(line)
	}
	i.lines = nil
	i.change.Broadcast()
}

// end gives readers io.EOF after the lines that were read ahead.
func (i *input) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
	i.readers.end()
	i.change.Broadcast()
}

// next reads up to the first line that a shortcut takes, and returns the
// function that answers it. It reports false at the end of the stream.
func (i *input) next() (answer func() []byte, more bool) {
	for answer == nil {
		line, err := readLine(i.stream, i.server.MaxLine)
		more = true
		if line = messageIn(line); line != nil {
			answer, more = i.put(line)
		}
		if err != nil || !more {
			close(i.exhausted)
			return answer, false
		}
	}
	return answer, true
}

// answer answers a line that a shortcut took.
func (i *input) answer(answer func() []byte) {
	i.exchange.send(append(answer(), '\n'))
	i.exchange.closeTaken()
}

// put gives a line to a shortcut, which answers it with the returned function,
// or else to the server. It waits for room, which one line always has, and
// reports false once the input is stopped.
func (i *input) put(line []byte) (answer func() []byte, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.lines) > 0 && i.bytes+len(line)+lineBytes > aheadBytes && !i.stopped && !i.ended {
		i.change.Wait()
	}
	if i.stopped || i.ended {
		return nil, false
	}
	if answer = i.shorten(line); answer != nil {
		return answer, true
	}
	if r := i.exchange.receive(line); r.isCancelled {
		for _, s := range i.server.Shortcuts {
			s.Cancel(line)
		}
	}
	i.lines = append(i.lines, line)
	i.bytes += len(line) + lineBytes
	i.change.Broadcast()
	return nil, true
}

// shorten offers a line to the shortcuts, unless it would overtake a line that
// the server has not dealt with. The caller holds mu.
func (i *input) shorten(line []byte) (answer func() []byte) {
	if !i.idle || len(i.lines) > 0 || !i.readers.isFree() {
		return nil
	}
	for _, s := range i.server.Shortcuts {
		if answer = s.Take(line); answer != nil {
			i.exchange.openTaken()
			return answer
		}
	}
	return nil
}

// take waits for a line for the server, and reports false at the end.
func (i *input) take() ([]byte, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.lines) == 0 && !i.ended {
		i.idle = true
		i.change.Wait()
	}
	i.idle = false
	if len(i.lines) == 0 {
		return nil, false
	}
	line := i.lines[0]
	i.lines[0] = nil
	i.lines = i.lines[1:]
	i.bytes -= len(line) + lineBytes
	i.change.Broadcast()
	return line, true
}

// readLine returns the next line with its line break. It adds the break if the
// last line lacks one, because mcp-go would drop that line.
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

// mark is the byte order mark of UTF-8, which some Windows programs write.
var mark = []byte("\ufeff")

// messageIn returns a line without its byte order mark, or nil for a blank
// line, which mcp-go would answer with an error that belongs to no request.
func messageIn(line []byte) []byte {
	line = bytes.TrimPrefix(line, mark)
	if len(bytes.Trim(line, " \t\r\n")) == 0 {
		return nil
	}
	return line
}

// Read implements [io.Reader] for one reader.
func (i *input) Read(p []byte) (int, error) {
	for len(i.rest) == 0 {
		line, ok := i.take()
		if !ok {
			return 0, io.EOF
		}
		i.rest = line
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}
