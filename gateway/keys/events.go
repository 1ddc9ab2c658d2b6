package keys

import (
	"bytes"
	"io"
)

// An events writer passes on an event stream, one whole event at a time. An
// event longer than maxMessage passes unchanged as it arrives.
type events struct {
	out io.Writer
	// rewrite returns the data to send for an event, and whether it changed.
	rewrite func(data []byte) ([]byte, bool)

	held    []byte // of the incomplete event
	inLine  bool   // the last line has bytes
	afterCR bool   // a line feed would belong to the last line break
	long    bool   // the event passes as it arrives
}

// Write implements [io.Writer].
func (e *events) Write(p []byte) (int, error) {
	from := 0
	for i, c := range p {
		if !e.endsEvent(c) {
			continue
		}
		if err := e.event(p[from : i+1]); err != nil {
			return from, err
		}
		from = i + 1
	}
	return len(p), e.part(p[from:])
}

// endsEvent takes the next byte and reports whether an event ends with it: an
// empty line does, after any of the three line breaks.
func (e *events) endsEvent(c byte) bool {
	afterCR := e.afterCR
	e.afterCR = c == '\r'
	switch {
	case c == '\n' && afterCR:
		return false
	case c == '\n' || c == '\r':
		empty := !e.inLine
		e.inLine = false
		return empty
	default:
		e.inLine = true
		return false
	}
}

// part handles bytes of an incomplete event.
func (e *events) part(p []byte) error {
	if e.long = e.long || len(e.held)+len(p) > maxMessage; !e.long {
		e.held = append(e.held, p...)
		return nil
	}
	if err := e.release(); err != nil {
		return err
	}
	_, err := e.out.Write(p)
	return err
}

// event handles the last bytes of an event.
func (e *events) event(p []byte) error {
	if err := e.part(p); err != nil || e.long {
		e.long = false
		return err
	}
	e.held = e.rewritten(e.held)
	return e.release()
}

// release writes the buffered bytes.
func (e *events) release() error {
	held := e.held
	if e.held = nil; len(held) == 0 {
		return nil
	}
	_, err := e.out.Write(held)
	return err
}

// Close writes an incomplete event.
func (e *events) Close() error { return e.release() }

var (
	fieldData = []byte("data")
	lineFeed  = []byte("\n")
)

// rewritten returns an event with rewritten data, or unchanged.
func (e *events) rewritten(event []byte) []byte {
	var data [][]byte
	for line := range lines(event) {
		if value, ok := dataOf(line); ok {
			data = append(data, value)
		}
	}
	if len(data) == 0 {
		return event
	}
	changed, ok := e.rewrite(bytes.Join(data, lineFeed))
	if !ok {
		return event
	}
	rewritten := make([]byte, 0, len(event)+len(changed))
	for line, lineBreak := range lines(event) {
		if _, ok := dataOf(line); !ok {
			rewritten = append(append(rewritten, line...), lineBreak...)
			continue
		}
		if changed == nil {
			continue
		}
		for part := range bytes.SplitSeq(changed, lineFeed) {
			rewritten = append(append(append(rewritten, "data: "...), part...), lineBreak...)
		}
		changed = nil
	}
	return rewritten
}

// lines yields the lines of an event, each with its line break.
func lines(event []byte) func(yield func(line, lineBreak []byte) bool) {
	return func(yield func(line, lineBreak []byte) bool) {
		for len(event) > 0 {
			end := bytes.IndexAny(event, "\r\n")
			if end < 0 {
				yield(event, nil)
				return
			}
			after := end + 1
			if event[end] == '\r' && after < len(event) && event[after] == '\n' {
				after++
			}
			if !yield(event[:end], event[end:after]) {
				return
			}
			event = event[after:]
		}
	}
}

// dataOf returns the value of a data field.
func dataOf(line []byte) ([]byte, bool) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	return bytes.TrimPrefix(value, []byte(" ")), bytes.Equal(name, fieldData)
}
