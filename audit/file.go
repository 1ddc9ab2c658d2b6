package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"
)

var (
	errNotMoved   = errors.New("audit: the log is where it was")
	errNotRegular = errors.New("audit: the log is not a regular file")
	errTooLong    = errors.New("audit: the event is too long for a record")
)

// ErrLocked is wrapped by the error of [OpenFile] if another writer, in this
// process or another, has the log open.
var ErrLocked = errors.New("audit: another writer has the log")

// syncInterval bounds how long it takes until an event other than an [Intent]
// is on disk.
const syncInterval = time.Second

var _ Sink = (*FileSink)(nil)

// A FileSink is a [Sink] that appends each event to a file, as one line of JSON
// that is chained to the line before it by hashes. [OpenFile] and [OpenFolder]
// return one; [Verify] and [VerifyFolder] check its files. A FileSink is safe
// for concurrent use. Concurrent events are written and synced together.
type FileSink struct {
	path      string // of the file, or of its folder
	inFolder  bool
	limit     int64 // the size from which the next file of the folder begins; 0: none
	wake      chan struct{}
	rotations chan chan rotation
	ended     chan struct{} // closed when run has returned
	err       error         // of Close, set before ended is closed

	mu      sync.Mutex
	waiting []*fileWrite
	closed  bool
	head    string // on the disk

	// Only run uses these.
	log    fileLog
	broken error // of a failed sync, after which the state of the disk is unknown
}

// A fileWrite is an event whose Write is waiting.
type fileWrite struct {
	event   []byte
	durable bool
	done    chan error // has room for the answer
}

// OpenFile opens a log for appending. It creates a missing log so that only the
// user can read it: with mode 0600, or on Windows with an access control list.
// An [Intent] is on disk when its Write returns, other events within a second.
//
// An existing log is continued. OpenFile checks its end, about the last
// mebibyte. If the chain is broken there, the error is a [*ChainError]: examine
// the log and move it away. A torn last line, as left by a killed process,
// stays in the file, and the hash of the next record covers its bytes.
//
// Errors name the file and the remedy. A log that another writer has open is
// [ErrLocked]; a symbolic link, folder, device or pipe is an error too. The
// error wraps [fs.ErrPermission] even when the file's mode lets anyone but its
// owner read or write it, or anyone execute it. OpenFile never changes an
// existing mode, because a log that others could write is no evidence, and its
// owner should know.
//
// On Unix the lock is flock(2). It is advisory: it excludes another FileSink,
// but not every writer, and its strength on a network file system depends on
// that system. It ends with the process. On Windows no other process can write
// the open file. Its mode has no meaning there: its access control list must
// exclude other users. On other systems the error is [errors.ErrUnsupported].
//
// To rotate a log, move the file away and call [FileSink.Rotate].
func OpenFile(path string) (*FileSink, error) {
	log, err := openFileLog(path)
	if err != nil {
		return nil, openError(path, err)
	}
	return (&FileSink{path: path}).start(log), nil
}

// start starts the one goroutine that writes the log.
func (s *FileSink) start(log fileLog) *FileSink {
	s.wake = make(chan struct{}, 1)
	s.rotations = make(chan chan rotation)
	s.ended = make(chan struct{})
	s.head = log.head
	s.log = log
	go s.run()
	return s
}

// Write appends an event to the log.
//
// If it returns nil, the whole record is in the file. An [Intent] is on disk.
// Any other event is in the operating system's memory and reaches the disk
// within a second: it survives a crash of the process, but not of the machine.
//
// If it returns an error, the event may be lost. Errors of the file name it and
// the remedy:
//   - If the context ends first, the error wraps the context's. The event may
//     still be written if writing had already begun.
//   - An event that has no Time or Kind, or whose record exceeds 64 KiB, is not
//     written.
//   - If the disk is full, the next Write tries again.
//   - After a failed fsync, or if another process wrote, cut or deleted the
//     file, every further Write fails until the log is opened again.
//   - After Close the error wraps [fs.ErrClosed].
func (s *FileSink) Write(ctx context.Context, e Event) error {
	if err := ctx.Err(); err != nil {
		return writeError(s.path, err)
	}
	event, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if len(event)+len(sealForm) > maxRecord { // the seal has a brace of the event, and the line a break
		return writeError(s.path, errTooLong)
	}
	w := &fileWrite{event: event, durable: e.Kind == Intent || e.Kind == Decided, done: make(chan error, 1)}
	if err := s.enqueue(w); err != nil {
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return s.withdraw(w, ctx.Err())
	}
}

// Head returns the hash of the last record on disk, or 64 zeros. Store it
// elsewhere: given the head, [Verify] checks that the log still exists up to
// that record. Head lags behind Write by at most a second. After Close it is
// the hash of the last record.
func (s *FileSink) Head() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

// Close waits for running writes, syncs the file, and releases its lock. It
// waits for the disk indefinitely. If it returns an error, the last events may
// not be on disk. Every later Close returns the same error.
func (s *FileSink) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		s.signal()
	}
	s.mu.Unlock()
	<-s.ended
	return s.err
}

func (s *FileSink) enqueue(w *fileWrite) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return writeError(s.path, fs.ErrClosed)
	}
	s.waiting = append(s.waiting, w)
	s.signal()
	return nil
}

// signal wakes run. It has no effect if run is awake.
func (s *FileSink) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// withdraw removes a write whose context ended, unless it has begun or ended.
func (s *FileSink) withdraw(w *fileWrite, cause error) error {
	s.mu.Lock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i >= 0 {
		return writeError(s.path, cause)
	}
	select {
	case err := <-w.done:
		return err
	default:
		return writeError(s.path, fmt.Errorf("the event may be in the log: %w", cause))
	}
}
