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

// patiently does something with a file. No program that has it open is in the
// way.
func patiently(do func() error) error { return do() }
