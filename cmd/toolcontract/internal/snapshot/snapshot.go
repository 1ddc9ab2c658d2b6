// Package snapshot reads the snapshots that commands compare and check, and the
// lists of tools that some of them also take.
package snapshot

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract/compat"
)

// Read reads a snapshot from a file.
func Read(ctx context.Context, path string) (compat.Snapshot, error) {
	data, err := cli.ReadFile(ctx, path)
	if err != nil {
		return compat.Snapshot{}, err
	}
	s, err := compat.ParseSnapshot(data)
	if err != nil {
		return compat.Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
