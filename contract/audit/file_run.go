package audit

import (
	"errors"
	"fmt"
	"time"
)

// run writes what waits, all of it at a time, until Close. It is the only goroutine that touches the
// file, so that a Write can leave when its context ends while the disk hangs.
func (s *FileSink) run() {
	defer close(s.ended)
	due := time.NewTimer(s.syncInterval)
	due.Stop()
	unsynced := false
	for {
		select {
		case <-s.wake:
			batch, closed := s.take()
			synced := s.commit(batch)
			if closed {
				s.err = s.shut()
				return
			}
			switch {
			case synced:
				due.Stop()
				unsynced = false
			case len(batch) > 0 && !unsynced:
				due.Reset(s.syncInterval)
				unsynced = true
			}
		case <-due.C:
			_ = s.sync() // every later Write and Close return it
			unsynced = false
		}
	}
}

// take returns what waits. After Close nothing will wait any more.
func (s *FileSink) take() (batch []*fileWrite, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.waiting = s.waiting, nil
	return batch, s.closed
}

// commit writes a batch, answers those who wait for it, and reports whether all is on the disk.
func (s *FileSink) commit(batch []*fileWrite) (synced bool) {
	if len(batch) == 0 {
		return false
	}
	kept, err := 0, s.broken
	if err == nil {
		kept, err = s.log.append(events(batch))
	}
	if anyDurable(batch[:kept]) {
		if e := s.sync(); e != nil {
			kept, err = 0, e
		} else {
			synced = true
		}
	}
	for i, w := range batch {
		if i < kept {
			w.done <- nil
		} else {
			w.done <- err
		}
	}
	return synced
}

func events(batch []*fileWrite) [][]byte {
	all := make([][]byte, len(batch))
	for i, w := range batch {
		all[i] = w.event
	}
	return all
}

func anyDurable(batch []*fileWrite) bool {
	for _, w := range batch {
		if w.durable {
			return true
		}
	}
	return false
}

// sync brings what was written to the disk. An error is final: the operating system may have thrown
// away what it could not write, and a second fsync would not say so.
func (s *FileSink) sync() error {
	if s.broken != nil {
		return s.broken
	}
	if err := s.log.file.Sync(); err != nil {
		s.broken = fmt.Errorf("audit: the log did not reach the disk and must be opened anew: %w", err)
		return s.broken
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = s.log.head
	return nil
}

// shut ends the use of the file, which gives up its lock.
func (s *FileSink) shut() error {
	err := s.sync()
	if e := closeExclusive(s.log.file); e != nil {
		err = errors.Join(err, fmt.Errorf("audit: closing the log: %w", e))
	}
	return err
}
