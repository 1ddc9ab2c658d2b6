package stdio

import (
	"bufio"
	"errors"
	"io"
	"sync"
)

// tooLongLine replaces a line beyond the limit. It is not JSON, so the server
// answers with a parse error.
const tooLongLine = "!\n"

const (
	// aheadBytes bounds what is read ahead of the server. mcp-go reads nothing
	// while its queue is full, and the end of the stream must be seen all the
	// same.
	aheadBytes = 16 << 20
	// lineBytes is the memory of a line besides its text.
	lineBytes = 64
	// readBytes is the size of the read buffer.
	readBytes = 64 << 10
)

// An input is the stream that the server reads: bounded lines, whose end is
// held back until end is called.
type input struct {
	exchange *exchange
	server   Server
	stream   *bufio.Reader // used only by the reader whose turn it is
	readers  *readers
	rest     []byte // of the line being read

	// exhausted is closed when the stream has ended or was stopped.
	exhausted chan struct{}

	mu      sync.Mutex
	changed sync.Cond // of what follows
	lines   [][]byte  // read, but not handed out
	bytes   int       // that they take
	stopped bool
	ended   bool
	idle    bool // the server waits for a line, and has dealt with all before
}

// newInput starts to read in ahead of the server, and counts its requests in x.
func newInput(in io.Reader, x *exchange, s Server) *input {
	i := &input{exchange: x, server: s, stream: bufio.NewReaderSize(in, readBytes), exhausted: make(chan struct{})}
	i.changed.L = &i.mu
	i.readers = newReaders(i.next, i.answer)
	go i.readers.run()
	return i
}

// stop drops the lines that were not handed out, and all later ones.
func (i *input) stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
	for _, line := range i.lines {
		i.exchange.withdrawn(line)
	}
	i.lines = nil
	i.changed.Broadcast()
}

// end gives readers io.EOF after the lines that were read ahead.
func (i *input) end() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ended = true
	i.readers.end()
	i.changed.Broadcast()
}

// A call is a tools/call that this package answers.
type call struct {
	answer func() []byte
	id     string // by which the exchange counts the call; "" for a taken call
}

// next reads lines up to the first call that need not wait for the server. It
// reports false at the end of the stream.
func (i *input) next() (c call, more bool) {
	for c.answer == nil {
		line, err := readLine(i.stream, i.server.MaxLine)
		more = true
		if len(line) > 0 {
			c, more = i.put(line)
		}
		if err != nil || !more {
			close(i.exhausted)
			return c, false
		}
	}
	return c, true
}

// answer answers a call.
func (i *input) answer(c call) {
	i.exchange.send(append(c.answer(), '\n'))
	if c.id == "" {
		i.exchange.settle()
	} else {
		i.exchange.answered(c.id)
	}
}

// put waits for room and reports false once the input is stopped. There is
// always room for one line. It returns a call that need not wait for the
// server.
func (i *input) put(line []byte) (c call, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.lines) > 0 && i.bytes+len(line)+lineBytes > aheadBytes && !i.stopped && !i.ended {
		i.changed.Wait()
	}
	if i.stopped || i.ended {
		return call{}, false
	}
	if c = i.callOf(line); c.answer != nil {
		return c, true
	}
	i.lines = append(i.lines, line)
	i.bytes += len(line) + lineBytes
	i.changed.Broadcast()
	return call{}, true
}

// callOf counts a message if it is a request. If the message is a call that
// need not wait for the server, callOf returns it. The caller holds mu.
func (i *input) callOf(line []byte) call {
	isFree := i.idle && len(i.lines) == 0 && i.readers.isFree()
	if isFree && i.server.Take != nil {
		if answer := i.server.Take(line); answer != nil {
			i.exchange.taken()
			return call{answer: answer}
		}
	}
	r := i.exchange.received(line)
	if r.isCancelled && i.server.Cancelled != nil {
		i.server.Cancelled(line)
	}
	if isFree && r.isCall && r.id != "" && i.server.Call != nil {
		return call{answer: func() []byte { return i.server.Call(line) }, id: r.id}
	}
	return call{}
}

// take waits for a line and reports false at the end.
func (i *input) take() ([]byte, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for len(i.lines) == 0 && !i.ended {
		i.idle = true
		i.changed.Wait()
	}
	i.idle = false
	if len(i.lines) == 0 {
		return nil, false
	}
	line := i.lines[0]
	i.lines[0] = nil
	i.lines = i.lines[1:]
	i.bytes -= len(line) + lineBytes
	i.changed.Broadcast()
	return line, true
}

// readLine returns the next line with a line break. It adds a missing one at
// the end of the stream, because mcp-go would drop that line.
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
