package exampleserver

import (
	"errors"
	"fmt"
	"io"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// A Backend is a resource behind the guard of an example, such as a store that
// several processes share. The zero Backend means no such resource.
type Backend struct {
	// Options are added to the guard's options.
	Options []guard.Option
	// Warnings are printed to stderr when the server is up, one a line.
	Warnings []string
	// Close is called after the guard is closed. Nil means nothing to close.
	Close func() error
}

func (b Backend) warn(name string, stderr io.Writer) {
	for _, warning := range b.Warnings {
		fmt.Fprintf(stderr, "%s: warning: %s\n", name, warning)
	}
}

// withBackend opens the backend, runs serve with it, and closes it when serve
// has ended.
func (s Server) withBackend(serve func(Backend) (*guard.Guard, error)) (*guard.Guard, error) {
	if s.OpenBackend == nil {
		return serve(Backend{})
	}
	b, err := s.OpenBackend()
	if err != nil {
		return nil, err
	}
	g, err := serve(b)
	if b.Close != nil {
		err = errors.Join(err, b.Close())
	}
	return g, err
}
