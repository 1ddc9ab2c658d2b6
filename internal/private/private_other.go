//go:build !windows

package private

import "os"

// Create creates a file that only the user can read. The error is fs.ErrExist
// if there is already a file or a link.
func Create(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Check returns [ErrShared] if the access control list of a file on Windows
// lets other users read or write it. On other systems it does nothing: the
// caller decides what a mode may grant.
func Check(string) error { return nil }

// Rename renames a file, as os.Rename does. On Windows it waits for programs
// that have a file open.
func Rename(from, to string) error { return os.Rename(from, to) }
