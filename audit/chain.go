package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
)

// A chain checks a log line by line and collects the report.
type chain struct {
	head string // the hash to find; empty: none
	// linked has the hashes that the files of a folder follow, true for those
	// that have been found. If it is set, the head may be in another file.
	linked map[string]bool
	report Verification
	lines  int
	// anchored is true if the next record must follow last. A check that begins
	// within a log is not anchored until its first record, which it cannot
	// check.
	anchored bool
	last     string
	// torn has the lines since the last record, and tornAt is the first of
	// them; nil and 0 if there are none.
	torn   *tornLines
	tornAt int
	// open is true if the last line has no break.
	open bool
}

// newChain returns the check of a log whose first record follows the hash
// start.
func newChain(head, start string) *chain { return &chain{head: head, anchored: true, last: start} }

// step checks the next line, given without its break. open is true if it has no
// break.
func (c *chain) step(line []byte, open bool) error {
	c.lines++
	c.open = open
	rec, whole := parseRecord(line)
	switch {
	case whole && c.anchored:
		if err := c.check(line, rec); err != nil {
			return err
		}
		c.count(string(rec.hash))
	case whole: // this record becomes the anchor
	case isTorn(line):
		c.tear(line)
		return nil
	default:
		return &ChainError{Line: c.lines, Fault: faultMalformed}
	}
	c.anchored = true
	c.last = string(rec.hash)
	c.torn = nil
	c.tornAt = 0
	return nil
}

func (c *chain) count(hash string) {
	c.report.Records++
	c.report.Last = hash
	if c.report.Records == 1 {
		c.report.First = hash
	}
	if _, isLinked := c.linked[hash]; isLinked {
		c.linked[hash] = true
	}
	if hash == c.head {
		c.report.HeadLine = c.lines
	}
}

// tear adds a line that is the beginning of a record.
func (c *chain) tear(line []byte) {
	c.torn = c.torn.add(line)
	if !c.open {
		c.torn.add([]byte("\n"))
	}
	if c.tornAt == 0 {
		c.tornAt = c.lines
	}
	if c.report.Torn == 0 {
		c.report.FirstTorn = c.lines
	}
	c.report.Torn++
}

// check returns the fault of a record in the chain, or nil.
func (c *chain) check(line []byte, rec record) error {
	sum, err := c.torn.sum(rec.unhashed)
	if err != nil {
		return err
	}
	first := c.lines
	if c.torn != nil {
		first = c.tornAt
	}
	intact := sum == string(rec.hash)
	follows := string(rec.prev) == c.last
	switch {
	case !json.Valid(line):
		return &ChainError{Line: c.lines, Fault: faultMalformed}
	case intact && follows:
		return nil
	case intact:
		return &ChainError{Line: first, Fault: faultMissing}
	case c.torn == nil || !rec.isIntact():
		return &ChainError{Line: first, Fault: faultChanged}
	case follows: // but its hash does not cover the torn lines
		return &ChainError{Line: first, Fault: faultMalformed}
	default: // the record whose hash covers the torn lines is missing
		return &ChainError{Line: c.lines, Fault: faultMissing}
	}
}

func (c *chain) end() error {
	c.report.TornTail = c.torn != nil
	if c.linked == nil && c.head != "" && c.head != genesis && c.report.HeadLine == 0 {
		return &ChainError{Line: c.lines, Fault: faultCut}
	}
	return nil
}

// errLongLine is returned for a line that is longer than any record.
var errLongLine = errors.New("audit: line is too long")

// A lineReader reads the lines of a log. It keeps at most one record in memory.
type lineReader struct{ buf *bufio.Reader }

func newLineReader(r io.Reader) lineReader { return lineReader{bufio.NewReaderSize(r, maxRecord)} }

// next returns the next line without its break, valid until the next call. open
// is true if the line has no break. After the last line the error is io.EOF.
func (r lineReader) next() (line []byte, open bool, err error) {
	line, err = r.buf.ReadSlice('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], false, nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, false, errLongLine
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, true, nil
	default:
		return nil, false, err
	}
}

// skip reads to the end of the line. At the end of the log the error is io.EOF.
func (r lineReader) skip() error {
	for {
		_, err := r.buf.ReadSlice('\n')
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
