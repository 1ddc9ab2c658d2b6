package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/internal/private"
)

// A fileError is an error of a log file. Its text names the file and the
// remedy.
type fileError struct {
	// Op is "open", "write", "sync" or "close".
	Op string
	// Path is the path given to [OpenFile].
	Path string
	// Err is the reason. It is never nil.
	Err error
	// Remedy is what the operator can do about it.
	Remedy string
}

// Error returns a form such as `audit: open "audit.jsonl": mode 0644 lets
// others use it; run chmod 600`.
func (e *fileError) Error() string {
	reason := e.Err
	if inner, ok := errors.AsType[*fs.PathError](e.Err); ok {
		reason = inner.Err // without the path again
	}
	return fmt.Sprintf("audit: %s %s: %s; %s", e.Op, strconv.Quote(e.Path), strings.TrimPrefix(reason.Error(), "audit: "), e.Remedy)
}

// Unwrap returns the reason.
func (e *fileError) Unwrap() error { return e.Err }

func openError(path string, err error) *fileError {
	remedy := "check the disk and the permissions of the file"
	switch {
	case errors.Is(err, ErrLocked):
		remedy = "stop the other process, or give each process a log of its own"
	case errors.Is(err, errNotMoved):
		remedy = "move it away, and rotate it then"
	case errors.Is(err, errNotRegular):
		remedy = "name a regular file, or one that does not exist yet"
	case errors.As(err, new(*ChainError)):
		remedy = "examine it with audit.Verify, move it away, and open a new one"
	case errors.As(err, new(exposedError)):
		remedy = "run chmod 600"
	case errors.Is(err, private.ErrShared):
		remedy = "run icacls with /inheritance:r /grant:r and your name, as in ada:F"
	case errors.Is(err, fs.ErrNotExist):
		remedy = "create its folder"
	case errors.Is(err, fs.ErrPermission):
		remedy = "let the user of the server write the file and its folder"
	case errors.Is(err, errors.ErrUnsupported):
		remedy = "use another sink on this system"
	}
	return &fileError{Op: "open", Path: path, Err: err, Remedy: remedy}
}

// writeError returns the error of an event that is not in the log.
func writeError(path string, err error) error {
	remedy := "check the space on its disk; the next event tries again"
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		remedy = "check whether its disk hangs"
	case errors.Is(err, errTooLong):
		remedy = "shorten the names and permissions of the tool"
	case errors.Is(err, fs.ErrClosed):
		remedy = "close the guards before their log"
	case errors.Is(err, errForeignWrite):
		remedy = "find the other program, examine the log with audit.Verify, and open it again"
	case errors.Is(err, errDeleted):
		remedy = "open it again, which begins a new chain"
	}
	return &fileError{Op: "write", Path: path, Err: err, Remedy: remedy}
}

// An exposedError means that the mode of a log lets others use it.
type exposedError fs.FileMode

func (e exposedError) Error() string {
	return fmt.Sprintf("mode %04o lets others use it", fs.FileMode(e))
}

func (e exposedError) Is(target error) bool { return target == fs.ErrPermission }
