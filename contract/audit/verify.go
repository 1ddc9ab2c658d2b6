package audit

import (
	"errors"
	"fmt"
	"io"
)

// Verify reads a log that a [FileSink] wrote and reports whether its chain is whole.
//
// A broken chain is a [*ChainError] with the first broken line, and the report is of what stands before
// it. A torn line, the beginning of a record that a killed process or a full disk left, is no error: the
// report counts it. An error of the reader is returned as it is, wrapped.
//
// head is a hash that [FileSink.Head] returned earlier and that was kept where whoever can write the log
// cannot. A log that does not hold it any more is an error, [Cut]; records after it are legitimate.
// Empty means that no head was kept. Then nobody can tell a log whose end was cut off from one that ended
// there, nor one that was written anew from its beginning: the chain has no key, and whoever can write
// the file can compute it. Anything else than 64 lower-case hexadecimal digits is an error.
//
// Verify reads the log once, line by line, and holds no more than one record of it. The log may be in
// use meanwhile: a record that is just being written looks like a torn tail.
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

// misplaced reports whether a record that does not follow last stands in the wrong place, for the one
// that does stands further down.
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

// isHash reports whether s is a hash as records hold it.
func isHash(s string) bool {
	return len(s) == len(anyHash) && beginsSeal([]byte(prevStart+s))
}
