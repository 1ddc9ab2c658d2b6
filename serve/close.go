package serve

import (
	"errors"
	"io"
)

// Close closes c and joins its error to *err. Defer it right after opening c,
// so that c is closed after everything that uses it, even if the server never
// starts to serve. A nil c is ignored.
func Close(err *error, c io.Closer) {
	if c != nil {
		*err = errors.Join(*err, c.Close())
	}
}
