package sqlitefile

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/toolcontract/toolcontract/store/sqlitefile/internal/private"
)

const (
	// keySize is the size of a key, in bytes.
	keySize = 32
	// keysSuffix is the suffix of a state's key file.
	keysSuffix = ".keys"
)

const remedy = "restore the file from a backup, or remove it together with the state"

// keysOf returns the keys of a state. It makes them if the database has no
// state yet. Of processes that start at once, one makes the keys, before the
// state.
func keysOf(db *sql.DB, path string) ([][]byte, error) {
	keys, err := readKeys(path + keysSuffix)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	found, err := isState(context.Background(), db)
	if err != nil {
		return nil, withRemedy(path, err)
	}
	if !found {
		like, err := os.Stat(path)
		if err == nil {
			err = makeKeys(path+keysSuffix, like)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("the keys: %w", withRemedy(path+keysSuffix, err))
		}
	}
	keys, err = readKeys(path + keysSuffix) // another process may have made them before the state
	if errors.Is(err, fs.ErrNotExist) {
		err = keysLost(path)
	}
	return keys, err
}

// keysLost returns the error of a state without its keys.
func keysLost(path string) error {
	return fmt.Errorf("%s has a state, but its keys in %s are missing: restore them from a backup, or remove the state; to go on "+
		"without the results and the open questions in it, run toolcontract state rotate", path, path+keysSuffix)
}

// readKeys reads a key file: one key in hexadecimal on each line, of which the
// first seals. A file that others can read is an error. The error is
// [fs.ErrNotExist] if there is no file.
func readKeys(path string) ([][]byte, error) {
	text, err := private.ReadFile(path)
	if err == nil {
		err = refuseShared(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the keys: %w", withRemedy(path, err))
	}
	return parseKeys(path, text)
}

// refuseShared refuses a file that every user of the machine can read or write,
// or that belongs to another user, unless that is root.
func refuseShared(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode()&0o007 != 0 {
		return fmt.Errorf("%s is open to other users: run chmod 600", path)
	}
	err = private.Check(path)
	if errors.Is(err, private.ErrShared) {
		return fmt.Errorf("%s is open to other users: run icacls with /inheritance:r /grant:r and your name, as in ada:F", path)
	}
	if err == nil && !isTrusted(info) {
		return fmt.Errorf("%s belongs to another user, who knows the keys: run the server as that user, or make new keys", path)
	}
	return err
}

func parseKeys(path string, text []byte) (keys [][]byte, err error) {
	for line := range bytes.Lines(text) {
		key, err := hex.AppendDecode(nil, bytes.TrimSpace(line))
		if err != nil || len(key) != keySize {
			return nil, fmt.Errorf("%s: a line is not a key of %d bytes in hexadecimal: %s", path, keySize, remedy)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no key: %s", path, remedy)
	}
	return keys, nil
}

// makeKeys creates a file with one key. The file appears whole or not at all.
// It gets the owner of like. The error is [fs.ErrExist] if another process was
// first.
func makeKeys(path string, like fs.FileInfo) error {
	f, err := private.Create(path + rand.Text())
	if err != nil {
		return err
	}
	err = errors.Join(giveTo(f, like), fill(f, newKey()))
	if err == nil {
		err = private.RenameNew(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// newKey returns the line of a new key.
func newKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // it never fails
	return append(hex.AppendEncode(nil, key), '\n')
}

// fill writes a file and closes it.
func fill(f *os.File, text []byte) error {
	_, err := f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Rotate adds a new first key to the keys of a state. Processes that open the
// state from then on seal with it. The former keys stay, so that earlier
// results and open questions can still be read. A process that opened the state
// before the rotation cannot read what later processes seal, so restart it.
//
// The key file has one key on each line. Once the longest retention has passed,
// remove the last line.
//
// If the key file is missing, Rotate creates a new one. Earlier calls then
// answer already_done without their results, and people are asked again. If you
// find the former keys, append their lines to the file.
func Rotate(path string) error {
	if err := rotate(path); err != nil {
		return fmt.Errorf("sqlitefile: Rotate: %w", err)
	}
	return nil
}

func rotate(path string) error {
	path, err := resolvePath(path)
	if err != nil {
		return err
	}
	if err := checkState(context.Background(), path); err != nil {
		return err
	}
	state, err := os.Stat(path)
	if err != nil {
		return err
	}
	path += keysSuffix
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // keep the link
	}
	text, err := private.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKeys(path, state)
	}
	if err == nil {
		_, err = parseKeys(path, text)
	}
	if err != nil {
		return err
	}
	former, err := os.Stat(path)
	if err != nil {
		return err
	}
	next := path + ".new" // so only one rotation runs at a time
	f, err := private.Create(next)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: another rotation is running; remove the file if there is none", next)
	}
	if err != nil {
		return err
	}
	if err = errors.Join(giveTo(f, former), f.Chmod(former.Mode().Perm()), fill(f, append(newKey(), text...))); err == nil {
		err = private.Rename(next, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next))
	}
	return nil
}
