package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

var (
	errForeignWrite = errors.New("another program wrote or cut the log")
	errDeleted      = errors.New("the log was deleted")
)

// A logFile is the part of *os.File that a fileLog uses.
type logFile interface {
	io.Writer
	Stat() (fs.FileInfo, error)
	Sync() error
	Close() error
}

// A fileLog appends records to a file. It is not safe for concurrent use.
type fileLog struct {
	file logFile
	path string
	size int64  // the size that this log wrote or read
	head string // the hash of the last record
	torn *tornLines
	open bool   // the last line has no break
	logs string // the member of the first record that names other logs
	buf  []byte
}

// append writes the events as records, in one write, and returns how many
// records are complete in the file. The error is the reason why the others are
// not. Their remains are torn lines, which the hash of the next record covers.
func (l *fileLog) append(events [][]byte) (kept int, err error) {
	if err := l.check(); err != nil {
		return 0, err
	}
	text, ends, err := l.compose(events)
	if err != nil {
		return 0, err
	}
	n, err := l.file.Write(text)
	kept = l.settle(text[:n], ends)
	switch {
	case kept == len(events):
		return kept, nil
	case err == nil:
		err = io.ErrShortWrite
	}
	return kept, err
}

// A recordEnd is where a record ends in a text, after its line break.
type recordEnd struct {
	at   int
	hash string
}

// compose returns the text that appends the events, valid until the next call.
func (l *fileLog) compose(events [][]byte) (text []byte, ends []recordEnd, err error) {
	text = l.buf[:0]
	torn, head := l.torn, l.head
	if l.open {
		text = append(text, '\n')
		if torn != nil {
			if torn, err = torn.clone(); err != nil {
				return nil, nil, err
			}
			torn.add(text)
		}
	}
	ends = make([]recordEnd, 0, len(events))
	for i, event := range events {
		if i == 0 && len(event)+len(l.logs)+len(sealForm) <= maxRecord {
			event = slices.Concat(event[:len(event)-1], []byte(l.logs+"}"))
		}
		if text, head, err = appendRecord(text, event, head, torn); err != nil {
			return nil, nil, err
		}
		ends = append(ends, recordEnd{len(text), head})
		torn = nil
	}
	l.buf = text
	return text, ends, nil
}

// settle records which part of a text was written, and returns the number of
// complete records in it.
func (l *fileLog) settle(written []byte, ends []recordEnd) (kept int) {
	n := len(written)
	rest := written
	l.size += int64(n)
	if l.open && l.torn == nil && n > 0 { // the missing break of the last record
		rest = rest[1:]
		l.open = false
	}
	for _, end := range ends {
		if n < end.at-1 { // a record is complete even without its break
			break
		}
		kept++
		l.head = end.hash
		l.torn = nil
		l.open = n < end.at
		rest = written[min(n, end.at):]
	}
	if kept > 0 {
		l.logs = ""
	}
	if len(rest) > 0 {
		l.torn = l.torn.add(rest)
		l.open = rest[len(rest)-1] != '\n'
	}
	return kept
}

// shut closes the file and releases its lock. If the file is in a folder of
// logs and has no record, it removes it.
func (l *fileLog) shut(inFolder bool) error {
	err := closeExclusive(l.file)
	if inFolder && l.size == 0 {
		err = errors.Join(err, os.Remove(l.path))
	}
	return err
}

// check returns an error if another process changed or deleted the file.
func (l *fileLog) check() error {
	info, err := l.file.Stat()
	switch {
	case err != nil:
		return fmt.Errorf("audit: the log cannot be examined: %w", err)
	case info.Size() != l.size:
		return errForeignWrite
	case isDeleted(l.file, info):
		return errDeleted
	default:
		return nil
	}
}
