package stdio

import (
	"bufio"
	"errors"
	"io"
)

var errTooLong = errors.New("the line is too long")

// readLine returns the next line with its line break. A line beyond the limit
// is dropped as it is read, and the error is errTooLong. The last line needs no
// line break; then the error is io.EOF.
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
		case err != nil && !errors.Is(err, io.EOF):
			return line, io.EOF // a broken stream counts as ended
		case tooLong && err == nil:
			return nil, errTooLong
		case tooLong:
			return nil, errors.Join(errTooLong, io.EOF)
		}
		return line, err
	}
}
