package audit

import (
	"bufio"
	"errors"
	"io"
)

// errLongLine is returned for a line that is longer than any record.
var errLongLine = errors.New("audit: line is too long")

// A lineReader reads the lines of a log. It holds at most one record in memory.
type lineReader struct{ buf *bufio.Reader }

func newLineReader(r io.Reader) lineReader { return lineReader{bufio.NewReaderSize(r, MaxRecord)} }

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
