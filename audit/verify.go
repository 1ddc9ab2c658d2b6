package audit

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A Verification is the result of [Verify]. The zero value is the result for an
// empty log.
type Verification struct {
	// Records is the number of records before the chain breaks.
	Records int
	// First is the hash of the first of them. It is empty if there is none.
	First string
	// Last is the hash of the last of them. It is empty if there is none.
	Last string
	// HeadLine is the line of the record whose hash is the head given to
	// Verify. It is 0 if the head was empty or 64 zeros. Any later lines have
	// been written since, by the sink or by another writer.
	HeadLine int
	// Torn is the number of lines that are only the beginning of a record, left
	// by a killed process or a full disk. No Write returned nil for such a
	// record. The hash of the next record covers their bytes.
	Torn int
	// FirstTorn is the number of the first torn line, or 0 if there is none.
	FirstTorn int
	// TornTail is true if the last line is torn. No hash covers it yet.
	TornTail bool
}

// String returns the report as one line for an operator. Without a head, the
// line warns that a cut-off end cannot be detected.
func (r Verification) String() string {
	text := strconv.Itoa(r.Records) + " records"
	if r.Records == 1 {
		text = "1 record"
	}
	text += " in an unbroken chain"
	if r.Records > 0 {
		text += ", first " + r.First + ", last " + r.Last
	}
	if r.HeadLine > 0 {
		text += fmt.Sprintf("; the head is line %d", r.HeadLine)
	} else {
		text += "; later records may have been cut off, and only a head that was stored elsewhere shows it"
	}
	if r.Torn > 0 {
		text += fmt.Sprintf("; torn lines: %d, the first is line %d", r.Torn, r.FirstTorn)
	}
	if r.TornTail {
		text += "; the last line is torn, as a killed process leaves it"
	}
	return text
}

// Verify reads a log that a [FileSink] wrote and checks its chain.
//
// If the chain is broken, the error is a [*ChainError] with the first broken
// line, and the report covers the lines before it. A torn line, which a killed
// process or a full disk leaves, is not an error; the report counts it. An
// error of the reader is returned wrapped.
//
// head is a hash that [FileSink.Head] returned earlier and that was stored
// where writers of the log cannot change it. If the log no longer has that
// record, the fault is "cut". Later records are fine. If you have no head, pass
// "": a log that was cut off or rewritten then looks like a whole one, because
// the chain has no key. Any other value must be 64 lower-case hexadecimal
// digits, or Verify returns an error.
//
// Verify reads the log once and keeps at most one record in memory. The log may
// be in use: a record that is being written looks like a torn tail.
func Verify(r io.Reader, head string) (Verification, error) {
	if err := checkHead(head); err != nil {
		return Verification{}, err
	}
	return newChain(head, genesis).verify(r)
}

// checkHead returns an error unless the head is a hash or empty.
func checkHead(head string) error {
	if head != "" && !isHash(head) {
		return errors.New("audit: head must be 64 lower-case hexadecimal digits, or empty")
	}
	return nil
}

// verify checks a whole log.
func (c *chain) verify(r io.Reader) (Verification, error) {
	lines := newLineReader(r)
	for {
		line, open, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			err = c.end()
			return c.report, err
		case errors.Is(err, errLongLine):
			return c.report, &ChainError{Line: c.lines + 1, Fault: faultMalformed}
		case err != nil:
			return c.report, fmt.Errorf("audit: reading the log after line %d: %w", c.lines, err)
		}
		if err := c.step(line, open); err != nil {
			broken, ok := errors.AsType[*ChainError](err)
			if ok && broken.Fault == faultMissing && misplaced(c.last, lines) {
				broken.Fault = faultMisplaced
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
