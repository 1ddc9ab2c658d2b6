package audit

import (
	"errors"
	"time"
)

// run writes all waiting events at once, until Close. Only its goroutine uses
// the file, so a Write can return when its context ends, even while the disk
// hangs.
func (s *FileSink) run() {
	defer close(s.ended)
	due := time.NewTimer(syncInterval)
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
				due.Reset(syncInterval)
				unsynced = true
			}
			s.rotateIfFull()
		case answer := <-s.rotations:
			head, err := s.rotate()
			answer <- rotation{head, err}
		case <-due.C:
			_ = s.sync() // every later Write and Close return the error
			unsynced = false
		}
	}
}

// take returns the waiting writes. After Close there will be no more.
func (s *FileSink) take() (batch []*fileWrite, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch, s.waiting = s.waiting, nil
	return batch, s.closed
}

// commit writes a batch, answers its writers, and reports whether the whole
// file is on the disk.
func (s *FileSink) commit(batch []*fileWrite) (synced bool) {
	if len(batch) == 0 {
		return false
	}
	kept, err := 0, s.broken
	if err == nil {
		if kept, err = s.log.append(events(batch)); err != nil {
			err = writeError(s.path, err)
		}
	}
	if anyDurable(batch[:kept]) {
		if e := s.sync(); e != nil {
			kept = 0
			err = e
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

// sync flushes the file to the disk. An error is final, because the operating
// system may have discarded data, and a second fsync would not report it.
func (s *FileSink) sync() error {
	if s.broken != nil {
		return s.broken
	}
	if err := s.log.file.Sync(); err != nil {
		s.broken = &fileError{Op: "sync", Path: s.path, Err: err, Remedy: "check its disk, and open it again"}
		return s.broken
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = s.log.head
	return nil
}

// shut syncs and closes the file and releases its lock.
func (s *FileSink) shut() error {
	err := s.sync()
	if e := s.log.shut(s.inFolder); e != nil {
		err = errors.Join(err, &fileError{Op: "close", Path: s.path, Err: e, Remedy: "check its disk"})
	}
	return err
}
