package audit_test

import (
	"bytes"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/audit"
)

// disk is a file in memory that can be full, broken or dead.
type disk struct {
	mu     sync.Mutex
	data   []byte
	synced int // bytes
	syncs  int
	closed bool
	// accept returns how many bytes of a write succeed, and the error of the
	// rest.
	accept func(p []byte) (int, error)
	// syncErr is returned by Sync.
	syncErr error
	// gate blocks Write and Sync until it is closed.
	gate chan struct{}
}

// startOn returns a sink on the disk, which is closed at the end of the test at
// the latest.
func startOn(t testing.TB, d *disk) *audit.FileSink {
	t.Helper()
	sink := audit.StartFileSink(d)
	t.Cleanup(func() { _ = sink.Close() })
	return sink
}

func (d *disk) wait() {
	d.mu.Lock()
	gate := d.gate
	d.mu.Unlock()
	if gate != nil {
		<-gate
	}
}

func (d *disk) Write(p []byte) (int, error) {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	n, err := len(p), error(nil)
	if d.accept != nil {
		n, err = d.accept(p)
	}
	d.data = append(d.data, p[:n]...)
	return n, err
}

func (d *disk) Sync() error {
	d.wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	if d.syncErr == nil {
		d.synced = len(d.data)
	}
	return d.syncErr
}

func (d *disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fs.ErrClosed
	}
	d.closed = true
	return nil
}

func (d *disk) Stat() (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return diskInfo{size: int64(len(d.data))}, nil
}

// set changes the disk's behaviour.
func (d *disk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// log returns the content of the file.
func (d *disk) log() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Clone(d.data)
}

// onDisk returns how many records would survive a loss of power.
func (d *disk) onDisk() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return bytes.Count(d.data[:d.synced], []byte("\n"))
}

type diskInfo struct{ size int64 }

func (i diskInfo) Name() string       { return "audit.jsonl" }
func (i diskInfo) Size() int64        { return i.size }
func (i diskInfo) Mode() fs.FileMode  { return 0o600 }
func (i diskInfo) ModTime() time.Time { return time.Time{} }
func (i diskInfo) IsDir() bool        { return false }
func (i diskInfo) Sys() any           { return nil }
