package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// lockSuffix ends the name of the lock file.
const lockSuffix = ".toolcontract-lock"

// How long an installation waits for another one, and how often it checks.
const (
	lockWait  = 30 * time.Second
	lockPause = 10 * time.Millisecond
)

// lock keeps other installations away from the same file until unlock is
// called. One that is killed leaves its lock behind; the error names it. Hosts
// don't honour the lock when they write the file.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	path += lockSuffix
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // beside the host's file
		if err == nil {
			return func() { _ = os.Remove(path) }, file.Close()
		}
		if errors.Is(err, fs.ErrNotExist) { // without the folder there is nothing to lock
			return func() {}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return nil, fmt.Errorf("another toolcontract is changing the file; if none is running, remove %s", path)
		}
	}
}
