package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A rotation is the answer to a Rotate.
type rotation struct {
	head string
	err  error
}

// Rotate ends the current file and continues in another. It returns the hash of
// the ended file's last record, which is on disk by then; store it elsewhere.
// If Rotate returns an error, the sink continues in the same file.
//
// In a folder, the next file continues the chain. A file from [OpenFile] must
// be moved away first; Rotate opens its path again, which starts a new chain if
// there is no file.
func (s *FileSink) Rotate() (head string, err error) {
	answer := make(chan rotation, 1)
	select {
	case s.rotations <- answer:
		r := <-answer
		return r.head, r.err
	case <-s.ended:
		return "", rotateError(s.path, fs.ErrClosed)
	}
}

// rotateIfFull starts the next file once this one has reached the limit. If it
// cannot, the file grows, and the next attempt is at twice the limit.
func (s *FileSink) rotateIfFull() {
	if s.limit == 0 || s.log.size < s.limit {
		return
	}
	if _, err := s.rotate(); err != nil {
		s.limit *= 2
	}
}

// rotate is called by run.
func (s *FileSink) rotate() (head string, err error) {
	if err := s.sync(); err != nil {
		return "", err
	}
	old := s.log
	if s.inFolder && old.size == 0 { // another file would be empty too
		return old.head, nil
	}
	var next fileLog
	if s.inFolder {
		next, err = createIn(s.path, old.head)
	} else {
		next, err = reopen(s.path, old)
	}
	if err != nil {
		return "", rotateError(s.path, err)
	}
	next.buf = old.buf
	s.log = next
	s.mu.Lock()
	s.head = next.head
	s.mu.Unlock()
	// The records are on the disk, so nothing is lost if the file stays open.
	_ = old.shut(false)
	return old.head, nil
}

// reopen opens the path of a log that was moved away.
func reopen(path string, old fileLog) (fileLog, error) {
	was, err := old.file.Stat()
	if err != nil {
		return fileLog{}, fmt.Errorf("audit: the log cannot be examined: %w", err)
	}
	switch now, err := os.Stat(path); {
	case err == nil && os.SameFile(was, now):
		return fileLog{}, errNotMoved
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fileLog{}, err
	}
	return openFileLog(path)
}

func rotateError(path string, err error) error {
	e := openError(path, err)
	e.Op = "rotate"
	return e
}
