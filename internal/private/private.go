// Package private makes files that only their user can read. On Unix a mode says
// so; on Windows, where modes mean nothing, an access control list does.
package private

import (
	"fmt"
	"io/fs"
)

// ErrShared reports that other users can read or write a file.
var ErrShared = fmt.Errorf("other users can read or write the file: %w", fs.ErrPermission)
