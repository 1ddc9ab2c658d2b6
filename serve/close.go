package serve

import (
	"errors"
	"io"
)

// Close closes c and joins its error to *err. Defer it right after c was
// opened, so that c is closed after everything that uses it, also if the server
// never begins to serve. A nil c is ignored.
func Close(err *error, c io.Closer) {
	if c != nil {
		*err = errors.Join(*err, c.Close())
	}
}
