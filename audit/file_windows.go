package audit

import (
	"errors"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/toolcontract/toolcontract/internal/private"
)

// openExclusive opens a log for appending. It creates a missing one so that
// only the user can read it. Other processes can only read, rename and delete
// it. Of a link it opens the link itself, not its target.
func openExclusive(path string) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, notRegular(path, err)
	}
	attributes, err := private.Attributes()
	if err != nil {
		return nil, err
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.FILE_APPEND_DATA,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, attributes, windows.OPEN_ALWAYS, windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION):
		return nil, ErrLocked
	case err != nil:
		return nil, notRegular(path, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	return os.NewFile(uintptr(handle), path), nil
}

// closeExclusive closes the file, so that other processes can write it.
func closeExclusive(file logFile) error { return file.Close() }

// checkAccess returns an error if the log's access control list lets others use
// it.
func checkAccess(file *os.File, _ fs.FileInfo) error { return private.Check(file.Name()) }

// isDeleted reports whether the file no longer has a name, or loses it when it
// is closed. A renamed file still has one.
func isDeleted(file logFile, _ fs.FileInfo) bool {
	opened, ok := file.(*os.File)
	if !ok {
		return false
	}
	var standard struct { // FILE_STANDARD_INFO
		allocated, end           int64
		links                    uint32
		deletePending, directory byte
	}
	err := windows.GetFileInformationByHandleEx(windows.Handle(opened.Fd()), windows.FileStandardInfo,
		(*byte)(unsafe.Pointer(&standard)), uint32(unsafe.Sizeof(standard)))
	return err == nil && (standard.links == 0 || standard.deletePending != 0)
}

// syncFolder does nothing, because the file system syncs names itself.
func syncFolder(string) error { return nil }
