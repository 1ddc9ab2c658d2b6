package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/toolcontract/toolcontract/store/sqlitefile/internal/private"
)

// Backup copies a state and its keys to a new file, and one beside it with the
// suffix .keys. Processes may keep using the state. The copy is the state at
// one instant, and only the user can read it. Backup never overwrites a file.
//
// To restore it, stop the processes that use the state, put both files in its
// place, and remove the files with the suffixes -wal and -shm. A restored copy
// has a new epoch: people's earlier answers do not count, because they may have
// been spent after the copy was made. The copy does not know calls that ended
// after it was made.
func Backup(ctx context.Context, path, to string) error {
	if err := backup(ctx, path, to); err != nil {
		return fmt.Errorf("sqlitefile: Backup: %w", err)
	}
	return nil
}

func backup(ctx context.Context, path, to string) (err error) {
	path, err = resolvePath(path)
	if err != nil {
		return err
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if err := checkState(ctx, path); err != nil {
		return err
	}
	made := []string{}
	defer func() {
		for _, name := range made {
			if err != nil {
				_ = os.Remove(name)
			}
		}
	}()
	for _, name := range []string{to, to + keysSuffix} {
		empty, err := private.Create(name)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists: name a new file", name)
		}
		if err != nil {
			return err
		}
		made = append(made, name)
		if err := empty.Close(); err != nil {
			return err
		}
	}
	if err := copyState(ctx, path, to); err != nil {
		return err
	}
	// Keys are copied after the state, so that they open whatever a rotation
	// sealed in it.
	keys, err := private.ReadFile(path + keysSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return keysLost(path)
	}
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to+keysSuffix, os.O_WRONLY, 0) //nolint:gosec // created above
	if err != nil {
		return err
	}
	return fill(f, keys)
}

// copyState fills an empty file.
func copyState(ctx context.Context, path, to string) error {
	from, err := openDatabase(path, url.Values{"_pragma": {"busy_timeout(300)"}})
	if err != nil {
		return err
	}
	if _, err := from.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return errors.Join(withRemedy(path, err), from.Close())
	}
	if err := from.Close(); err != nil {
		return err
	}
	db, err := openDatabase(to, url.Values{"_pragma": {"synchronous(FULL)"}})
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "UPDATE tc_schema SET epoch = ''"); err != nil {
		return errors.Join(withRemedy(to, err), db.Close())
	}
	return db.Close()
}
