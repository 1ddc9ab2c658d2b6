//go:build !linux || !(amd64 || arm64)

package witness

import (
	"runtime"
	"testing"
)

// platform returns why the kernel cannot be a witness here.
func platform() string {
	return "the kernel is a witness only on Linux amd64 and arm64, and this is " + runtime.GOOS + " " + runtime.GOARCH
}

// cannotRepeat is never called, because platform refuses.
func cannotRepeat(*testing.T) string { return "" }

// supervise is never called, because platform refuses.
func supervise(*testing.T, Options) (Result, error) { return Result{}, nil }

// A child does not exist here.
type child struct{ test string }

func (child) observe(*testing.T, Options, func(*testing.T, *Recorder) []byte) {}

// insideChild reports that this is not a child process.
func insideChild() (child, bool) { return child{}, false }
