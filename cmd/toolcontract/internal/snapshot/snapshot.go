// Package snapshot reads the snapshots that commands compare and check.
package snapshot

import (
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/contract/compat"
)

// Read reads a snapshot from a file.
func Read(path string) (compat.Snapshot, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the person who runs the command names it
	if err != nil {
		return compat.Snapshot{}, err
	}
	s, err := compat.ParseSnapshot(data)
	if err != nil {
		return compat.Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
