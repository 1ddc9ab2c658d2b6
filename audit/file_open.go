package audit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// logMode is the mode of a log: only its owner may read and write it.
const logMode fs.FileMode = 0o600

// tailLength is the part of a log that is read first to find its end, in bytes.
const tailLength = 1 << 20

// openFileLog opens a log as the only writer and finds its end.
func openFileLog(path string) (log fileLog, err error) {
	file, err := openExclusive(path)
	if err != nil {
		return fileLog{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeExclusive(file))
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return fileLog{}, fmt.Errorf("audit: the log cannot be examined: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fileLog{}, errNotRegular
	}
	if err := checkAccess(file, info); err != nil {
		return fileLog{}, err
	}
	tail, err := readTail(file, info.Size(), tailLength, genesis)
	if err != nil {
		return fileLog{}, err
	}
	// The writes of an earlier process, and the file's name, may not be on the
	// disk yet.
	if err := errors.Join(file.Sync(), syncFolder(filepath.Dir(path))); err != nil {
		return fileLog{}, fmt.Errorf("audit: the log did not reach the disk: %w", err)
	}
	return fileLog{file: file, path: path, size: info.Size(), head: tail.last, torn: tail.torn, open: tail.open}, nil
}

// readTail checks the last length bytes of a log, or more if these do not hold
// a record and its predecessor. The first record of the log follows start.
func readTail(r io.ReaderAt, size, length int64, start string) (*chain, error) {
	for ; ; length *= 16 {
		from := max(0, size-length)
		c, err := checkFrom(r, from, size, start)
		if from == 0 || err == nil && c.report.Records > 0 {
			return c, err
		}
		if broken, ok := errors.AsType[*ChainError](err); ok {
			broken.Line = 0 // the check did not begin at the first line
		}
		if err != nil {
			return nil, err
		}
	}
}

// checkFrom checks a log from an offset to its end.
func checkFrom(r io.ReaderAt, from, size int64, start string) (*chain, error) {
	c := newChain("", start)
	lines := newLineReader(io.NewSectionReader(r, from, size-from))
	if from > 0 {
		c.anchored = false
		if err := lines.skip(); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("audit: reading the log: %w", err)
		}
	}
	for {
		line, open, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return c, nil
		case errors.Is(err, errLongLine):
			return nil, &ChainError{Line: c.lines + 1, Fault: faultMalformed}
		case err != nil:
			return nil, fmt.Errorf("audit: reading the log: %w", err)
		}
		if err := c.step(line, open); err != nil {
			return nil, err
		}
	}
}

// notRegular returns errNotRegular if that is why a log could not be opened,
// and else err.
func notRegular(path string, err error) error {
	if info, e := os.Lstat(path); e == nil && !info.Mode().IsRegular() {
		return errNotRegular
	}
	return err
}
