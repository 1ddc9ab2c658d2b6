//go:build !windows

package private

import "os"

func openFile(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag, 0o600)
}

// MkdirAll creates a folder and the missing ones above it, for the user alone.
func MkdirAll(path string) error { return os.MkdirAll(path, 0o700) }

// Restrict takes the access to a file from other users on Windows, if there is
// such a file. On other systems it does nothing.
func Restrict(string) error { return nil }

// Check returns [ErrShared] if the access control list of a file on Windows
// lets other users read or write it. On other systems it does nothing: what a
// mode may grant is for the caller to decide.
func Check(string) error { return nil }

// ReadFile reads a file, as os.ReadFile does. On Windows it waits for programs
// that rename it.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Rename renames a file, as os.Rename does. On Windows it waits for programs
// that have a file open.
func Rename(from, to string) error { return os.Rename(from, to) }

// RenameNew renames a file. The error is fs.ErrExist if the new name is taken.
func RenameNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
