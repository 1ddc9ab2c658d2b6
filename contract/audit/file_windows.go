package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// errSharingViolation is ERROR_SHARING_VIOLATION.
const errSharingViolation syscall.Errno = 32

// openExclusive opens a log for appending, so that others can read it only. A link is opened itself.
func openExclusive(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, openError(path, err)
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.FILE_APPEND_DATA, syscall.FILE_SHARE_READ,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL|syscall.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	switch {
	case errors.Is(err, errSharingViolation):
		return nil, ErrLocked
	case err != nil:
		return nil, openError(path, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	return os.NewFile(uintptr(handle), path), nil
}

// closeExclusive closes the file, which gives up what kept others from writing.
func closeExclusive(file logFile) error { return file.Close() }

// isExposed reports false: access is the folder's ACL's matter.
func isExposed(fs.FileInfo) bool { return false }

// isDeleted reports false: nobody can delete the file while it is open.
func isDeleted(fs.FileInfo) bool { return false }

// syncFolder does nothing: names are the file system's matter.
func syncFolder(string) error { return nil }
