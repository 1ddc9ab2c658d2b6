package exampleserver

import (
	"errors"
	"fmt"
	"io"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// A Backing is what an example puts behind its guard, such as a store that
// other processes share. The zero Backing is nothing.
type Backing struct {
	// Options are for the guard.
	Options []guard.Option
	// Warnings go to stderr, each on a line of its own, when the server is up.
	Warnings []string
	// Close is called when the guard is closed; nil: there is nothing to close.
	Close func() error
}

func (b Backing) warn(name string, stderr io.Writer) {
	for _, warning := range b.Warnings {
		fmt.Fprintf(stderr, "%s: warning: %s\n", name, warning)
	}
}

// backed calls serve with what the example puts behind its guard, and closes
// that when serve has ended.
func (s Server) backed(serve func(Backing) (*guard.Guard, error)) (*guard.Guard, error) {
	if s.Back == nil {
		return serve(Backing{})
	}
	b, err := s.Back()
	if err != nil {
		return nil, err
	}
	g, err := serve(b)
	if b.Close != nil {
		err = errors.Join(err, b.Close())
	}
	return g, err
}
