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
	// ErrLocked is returned by [OpenFile] while another [FileSink], of this process or another, has the
	// log.
	ErrLocked = errors.New("audit: another writer has the log")
	// ErrNotRegular is returned by [OpenFile] for a symbolic link, a folder, a device or a pipe.
	ErrNotRegular = errors.New("audit: the log is not a regular file")
	// ErrTooLong is returned by [FileSink.Write] for an event whose record is longer than [MaxRecord].
	ErrTooLong = errors.New("audit: the event is too long for a record")
)

var _ Sink = (*FileSink)(nil)

// A FileSink is a [Sink] that appends each event to a file, as one line of JSON that is chained to the
// line before it by hashes. [OpenFile] makes one, [Verify] checks the file.
//
// A FileSink is safe for concurrent use. Events that come together are written, and brought to the disk,
// together.
type FileSink struct {
	syncInterval time.Duration
	wake         chan struct{}
	ended        chan struct{} // closed when run has returned
	err          error         // of Close, set before ended is closed

	mu      sync.Mutex
	waiting []*fileWrite
	closed  bool
	head    string // on the disk

	// Only run uses these.
	log    fileLog
	broken error // of a failed sync, after which nobody knows what is on the disk
}

// A fileWrite is an event that a Write waits for.
type fileWrite struct {
	event   []byte
	durable bool
	done    chan error // has room for the answer
}

// OpenFile opens a log for appending, and creates it with mode 0600 where there is none. Default: events
// reach the disk as [DefaultSyncInterval] says.
//
// An existing log is continued. Of a long one only the end is checked, the last mebibyte or so, and a log
// that is broken there is not continued: the error is a [*ChainError], and the log has to be examined and
// moved away. A torn last line, as a killed process leaves it, is not removed: it stays as it is, and the
// next record accounts for its bytes.
//
// The errors are [ErrLocked] where another writer has the log, [ErrNotRegular], [fs.ErrPermission] also
// where the file's mode lets others than its owner read or write it, or anybody run it, [ErrBroken], and
// those of the file system. An existing mode is never changed, for a log that others could write is no
// evidence, and whoever owns it should know.
//
// On Unix the lock is flock(2): advisory, so that it holds off another FileSink and not every writer; on
// a network file system it is what that makes of it. It ends with the process, however that ends. On
// Windows the file is opened so that nobody else can write or delete it; its mode says nothing there, so
// that the folder has to keep others out. Elsewhere the error is [errors.ErrUnsupported].
//
// To rotate a log, close the sink, keep its head, move the file away and open a new one, whose chain
// begins anew.
func OpenFile(path string, opts ...FileOption) (*FileSink, error) {
	config, err := newFileConfig(opts)
	if err != nil {
		return nil, err
	}
	log, err := openFileLog(path)
	if err != nil {
		return nil, err
	}
	return startFileSink(log, config), nil
}

// startFileSink starts the goroutine that alone writes the log.
func startFileSink(log fileLog, config fileConfig) *FileSink {
	s := &FileSink{
		syncInterval: config.syncInterval,
		wake:         make(chan struct{}, 1),
		ended:        make(chan struct{}),
		head:         log.head,
		log:          log,
	}
	go s.run()
	return s
}

// Write appends an event to the log.
//
// A nil return says that the record stands in the file as a whole: an [Intent] on the disk, another event
// in the operating system's memory, from where it is brought to the disk within the sync interval. That
// survives the death of the process, but not that of the machine.
//
// Else the event is not known to be kept. Where the context ends first, the error wraps its error; the
// event may still be written if that had begun. An event without Time or Kind, or longer than
// [MaxRecord], changes nothing. Where the disk is full, the next Write tries anew. After a failed fsync
// nobody knows what the disk has, and a file that somebody else wrote, cut or deleted is no log of this
// sink's any more: every further Write fails until the log is opened anew. After Close the error wraps [fs.ErrClosed].
func (s *FileSink) Write(ctx context.Context, e Event) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("audit: the event is not kept: %w", err)
	}
	event, err := e.MarshalJSON()
	if err != nil {
		return err
	}
	if len(event)+len(sealForm) > MaxRecord { // the seal has a brace of the event, and the line a break
		return ErrTooLong
	}
	w := &fileWrite{event: event, durable: e.Kind == Intent || s.syncInterval == 0, done: make(chan error, 1)}
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

// Head returns the hash of the last record that is on the disk, [Genesis] where there is none. Kept
// elsewhere, and given to [Verify] later, it shows that the log up to there is still there. It lags
// behind Write by the sync interval at most; after Close it is the hash of the last record.
func (s *FileSink) Head() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}

// Close waits for the writes that have begun, brings everything to the disk, and gives the log up to
// another writer. It waits for the disk as long as that takes. An error says that the last events may not
// be on it. A further Close returns the same.
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
		return fmt.Errorf("audit: the file sink takes no more events: %w", fs.ErrClosed)
	}
	s.waiting = append(s.waiting, w)
	s.signal()
	return nil
}

// signal wakes run, and leaves it awake where it is.
func (s *FileSink) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// withdraw takes back a write that nobody waits for any longer, unless it has begun or ended.
func (s *FileSink) withdraw(w *fileWrite, cause error) error {
	s.mu.Lock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i >= 0 {
		return fmt.Errorf("audit: the event is not kept: %w", cause)
	}
	select {
	case err := <-w.done:
		return err
	default:
		return fmt.Errorf("audit: the event may not be kept: %w", cause)
	}
}
