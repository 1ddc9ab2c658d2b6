// Package private creates files that only their user can read. On Unix their
// mode ensures that; on Windows, where modes mean nothing, an access control
// list does.
package private

import (
	"fmt"
	"io/fs"
)

// ErrShared reports that other users can read or write a file.
var ErrShared = fmt.Errorf("other users can read or write the file: %w", fs.ErrPermission)
