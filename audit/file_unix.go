//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openExclusive opens a log for appending and locks it. It does not follow
// links and does not wait for pipes.
func openExclusive(path string) (*os.File, error) {
	const flags = os.O_RDWR | os.O_APPEND | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	file, err := os.OpenFile(path, flags, logMode)
	if err != nil {
		return nil, notRegular(path, err)
	}
	err = flock(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrLocked
	} else {
		err = fmt.Errorf("audit: the log cannot be locked: %w", err)
	}
	return nil, errors.Join(err, file.Close())
}

// closeExclusive releases the lock and closes the file. Closing alone is not
// enough: a child process shares the lock between fork and exec.
func closeExclusive(file logFile) error {
	var err error
	if locked, ok := file.(*os.File); ok {
		err = flock(locked, syscall.LOCK_UN)
	}
	return errors.Join(err, file.Close())
}

func flock(file *os.File, how int) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), how) })
	return errors.Join(err, locked)
}

// checkAccess returns an error if the log's mode grants more than logMode.
func checkAccess(_ *os.File, info fs.FileInfo) error {
	if info.Mode().Perm()&^logMode != 0 {
		return exposedError(info.Mode().Perm())
	}
	return nil
}

// isDeleted reports whether the file has no name any more. A renamed file has
// one.
func isDeleted(_ logFile, info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}

// syncFolder flushes the names in a folder to the disk, if its file system can.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}
