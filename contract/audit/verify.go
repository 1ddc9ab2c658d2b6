package audit

import (
	"errors"
	"fmt"
	"io"
)

// Verify reads a log that a [FileSink] wrote and checks its chain.
//
// If the chain is broken, the error is a [*ChainError] with the first broken
// line, and the report covers the lines before it. A torn line, which a killed
// process or a full disk leaves, is not an error; the report counts it. An
// error of the reader is returned wrapped.
//
// head is a hash that [FileSink.Head] returned earlier and that was stored
// where writers of the log cannot change it. If the log no longer has that
// record, the fault is [Cut]. Later records are legitimate. Without a head,
// pass "": then a log that was cut off or written again cannot be distinguished
// from a whole one, because the chain has no key. Any other value than 64
// lower-case hexadecimal digits is an error.
//
// Verify reads the log once and holds at most one record in memory. The log may
// be in use: a record that is being written looks like a torn tail.
func Verify(r io.Reader, head string) (Report, error) {
	if head != "" && !isHash(head) {
		return Report{}, errors.New("audit: head must be 64 lower-case hexadecimal digits, or empty")
	}
	c, lines := newChain(head), newLineReader(r)
	for {
		line, open, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			err = c.end()
			return c.report, err
		case errors.Is(err, errLongLine):
			return c.report, &ChainError{Line: c.lines + 1, Fault: Malformed}
		case err != nil:
			return c.report, fmt.Errorf("audit: reading the log after line %d: %w", c.lines, err)
		}
		if err := c.step(line, open); err != nil {
			broken, ok := errors.AsType[*ChainError](err)
			if ok && broken.Fault == Missing && misplaced(c.last, lines) {
				broken.Fault = Misplaced
			}
			return c.report, err
		}
	}
}

// misplaced reports whether a later line has the record that follows last.
func misplaced(last string, rest lineReader) bool {
	for {
		line, _, err := rest.next()
		if err != nil {
			return false
		}
		if later, ok := parseRecord(line); ok && string(later.prev) == last {
			return true
		}
	}
}

// isHash reports whether s has the form of a hash in a record.
func isHash(s string) bool {
	return len(s) == len(anyHash) && beginsSeal([]byte(prevStart+s))
}
