package program

import (
	"errors"
	"fmt"
	"io"

	"github.com/toolcontract/toolcontract/guard"
)

// A Backend is a resource behind the guard, such as a store that several
// processes share. The zero Backend means no such resource.
type Backend struct {
	// Options are added to the guard's options.
	Options []guard.Option
	// Warnings are printed to stderr once the server is up, one per line.
	Warnings []string
	// Close is called after the guard is closed. Nil means nothing to close.
	Close func() error
}

func (s Server) backend() (Backend, error) {
	if s.OpenBackend == nil {
		return Backend{}, nil
	}
	return s.OpenBackend()
}

func (b Backend) warn(name string, stderr io.Writer) {
	for _, warning := range b.Warnings {
		fmt.Fprintf(stderr, "%s: warning: %s\n", name, warning)
	}
}

// Closing returns b with one more function to call when b is closed.
func (b Backend) Closing(last func() error) Backend {
	first := b.close
	b.Close = func() error { return errors.Join(first(), last()) }
	return b
}

func (b Backend) close() error {
	if b.Close == nil {
		return nil
	}
	return b.Close()
}
