package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFileBytes caps a file that a command reads into memory.
const maxFileBytes = 64 << 20

// ReadFile reads at most 64 MiB from a file, a pipe or a device; more is an
// error. It returns at once when the context ends.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	return Interruptible(ctx, func() ([]byte, error) {
		file, err := os.Open(path) //nolint:gosec // its path comes from the person who runs the command
		if err != nil {
			return nil, err
		}
		defer file.Close() //nolint:errcheck // it was only read
		text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
		if len(text) > maxFileBytes {
			return nil, fmt.Errorf("%s: has more than %d MiB; name a snapshot or a list of tools", path, maxFileBytes>>20)
		}
		return text, err
	})
}

// Interruptible calls a function and returns its results. If the context ends
// first, it abandons the function, which may be waiting for a pipe that nobody
// writes to.
func Interruptible[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errors.New("interrupted")
	}
}
