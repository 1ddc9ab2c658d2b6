package sqlitefile

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// keySize is the size of a key, in bytes.
const keySize = 32

const remedy = "restore the file from a backup, or remove it together with the state"

// readKeys reads a file of keys: each in hexadecimal on a line of its own, the
// first one seals. It makes the file with one key if there is none. Of several
// processes that start at once one makes it.
func readKeys(path string) ([][]byte, error) {
	text, err := os.ReadFile(path) //nolint:gosec // beside the author's file
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKeys(path); err == nil || errors.Is(err, fs.ErrExist) {
			text, err = os.ReadFile(path) //nolint:gosec // see above
		}
	}
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: the keys: %w", err)
	}
	var keys [][]byte
	for line := range bytes.Lines(text) {
		key, err := hex.AppendDecode(nil, bytes.TrimSpace(line))
		if err != nil || len(key) != keySize {
			return nil, fmt.Errorf("sqlitefile: Open: %s: a line is not a key of %d bytes in hexadecimal: %s", path, keySize, remedy)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("sqlitefile: Open: %s has no key: %s", path, remedy)
	}
	return keys, nil
}

// makeKeys makes a file with one key. It appears whole or not at all. The error
// is [fs.ErrExist] if another process was first.
func makeKeys(path string) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key)                               // it never fails
	f, err := os.CreateTemp(filepath.Dir(path), "keys") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // the link stays
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
}
