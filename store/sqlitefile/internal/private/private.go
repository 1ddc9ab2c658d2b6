// Package private makes files and folders that only their user can read. On
// Unix a mode says so; on Windows, where modes mean nothing, an access control
// list does.
package private

import (
	"io/fs"
	"os"
)

// ErrShared reports that other users can read or write a file. It is an
// fs.ErrPermission.
var ErrShared error = sharedError{}

type sharedError struct{}

func (sharedError) Error() string { return "other users can read or write the file" }

func (sharedError) Is(target error) bool { return target == fs.ErrPermission }

// Open opens a file for reading and writing. If there is none, it creates one
// for the user alone. The access to an existing file stays as it is.
func Open(path string) (*os.File, error) { return openFile(path, os.O_RDWR|os.O_CREATE) }

// Create creates a file for the user alone. The error is fs.ErrExist if there
// is a file or a link.
func Create(path string) (*os.File, error) { return openFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL) }
