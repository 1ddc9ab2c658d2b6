//go:build !windows

package private

import "os"

func openFile(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag, 0o600)
}

// MkdirAll creates a folder and the missing ones above it. Only the user can
// read them.
func MkdirAll(path string) error { return os.MkdirAll(path, 0o700) }

// Restrict removes other users' access to a file on Windows. A missing file is
// not an error. On other systems it does nothing.
func Restrict(string) error { return nil }

// Check returns [ErrShared] if the access control list of a file on Windows
// lets other users read or write it. On other systems it does nothing: the
// caller decides what a mode may grant.
func Check(string) error { return nil }

// patiently calls do once: here, a program that has a file open is never in the
// way.
func patiently(do func() error) error { return do() }
