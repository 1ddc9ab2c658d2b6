// Package private creates files and folders that only their user can read. On
// Unix their mode ensures that; on Windows, where modes mean nothing, an access
// control list does.
package private

import (
	"errors"
	"os"
)

// ErrShared reports that other users can read or write a file.
var ErrShared = errors.New("other users can read or write the file")

// Open opens a file for reading and writing. A missing file is created so that
// only the user can read it. The access to an existing file stays as it is.
func Open(path string) (*os.File, error) { return openFile(path, os.O_RDWR|os.O_CREATE) }

// Create creates a file that only the user can read. The error is fs.ErrExist
// if there is already a file or a link.
func Create(path string) (*os.File, error) { return openFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL) }

// ReadFile reads a file, as os.ReadFile does. On Windows it waits for programs
// that are renaming it.
func ReadFile(path string) (text []byte, err error) {
	return text, patiently(func() error {
		text, err = os.ReadFile(path)
		return err
	})
}

// Rename renames a file, as os.Rename does. On Windows it waits for programs
// that have a file open.
func Rename(from, to string) error { return patiently(func() error { return os.Rename(from, to) }) }

// RenameNew renames a file. The error is fs.ErrExist if the new name is taken.
func RenameNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return patiently(func() error { return os.Remove(from) })
}
