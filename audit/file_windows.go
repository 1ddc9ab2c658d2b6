package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errSharingViolation is ERROR_SHARING_VIOLATION.
const errSharingViolation syscall.Errno = 32

// openExclusive opens a log for appending. Other processes can only read it. A
// link is opened itself, not its target.
func openExclusive(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, notRegular(path, err)
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.FILE_APPEND_DATA, syscall.FILE_SHARE_READ,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	switch {
	case errors.Is(err, errSharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, notRegular(path, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	return os.NewFile(uintptr(handle), path), nil
}

// closeExclusive closes the file, so that other processes can write it.
func closeExclusive(file logFile) error { return file.Close() }

// isExposed reports false, because the folder's ACL decides about access.
func isExposed(fs.FileInfo) bool { return false }

// isDeleted reports false, because an open file cannot be deleted.
func isDeleted(fs.FileInfo) bool { return false }

// syncFolder does nothing, because the file system syncs names itself.
func syncFolder(string) error { return nil }
