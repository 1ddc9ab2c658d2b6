package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupSuffix ends the name of the copy that is made before a file is
// replaced. A number follows it if a copy with other contents already exists.
const (
	backupSuffix = ".before-toolcontract"
	backupLimit  = 1000
)

// A file is a host's configuration file.
type file struct {
	path   string // with symbolic links resolved
	text   []byte
	mode   fs.FileMode
	exists bool
}

// read reads a configuration file. A file that does not exist counts as empty
// and will be created with the given mode.
func read(path string, mode fs.FileMode) (file, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return file{}, fmt.Errorf("%s is a symbolic link to a file that does not exist", path)
		}
		return file{path: path, mode: mode}, nil
	}
	if err != nil {
		return file{}, fmt.Errorf("%s: %w", path, err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s is not a regular file", path)
	}
	text, err := os.ReadFile(target) //nolint:gosec // the configuration of the host that the person names
	return file{path: target, text: text, mode: info.Mode().Perm(), exists: true}, err
}

// replace replaces the file's text atomically. It returns the name of the copy
// of what was there before.
func (f file) replace(text []byte) (backup string, err error) {
	if f.exists {
		if f.mode&0o200 == 0 {
			return "", fmt.Errorf("%s is read-only, and was not changed; make it writable first, as chmod u+w does", f.path)
		}
		if backup, err = f.backUp(); err != nil {
			return "", err
		}
		now, err := os.ReadFile(f.path)
		if err != nil {
			return "", err
		}
		if !bytes.Equal(now, f.text) {
			return "", fmt.Errorf("%s was changed by another program; run the command again", f.path)
		}
	}
	return backup, write(f.path, text, f.mode)
}

// backUp copies the file and returns the copy's name. It never overwrites
// another copy, nor copies the same text twice.
func (f file) backUp() (string, error) {
	for n := 1; n <= backupLimit; n++ {
		path := f.path + backupSuffix
		if n > 1 {
			path += fmt.Sprintf("-%d", n)
		}
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, write(path, f.text, f.mode)
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			continue
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Equal(text, f.text) { //nolint:gosec // beside the file
			return path, nil
		}
	}
	return "", fmt.Errorf("%s has %d copies beside it; remove those that you do not need", f.path, backupLimit)
}

// write writes a temporary file next to the path and renames it into place.
func write(path string, text []byte, mode fs.FileMode) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = part.Close()
			_ = os.Remove(part.Name())
		}
	}()
	if _, err := part.Write(text); err != nil {
		return err
	}
	if err := part.Chmod(mode); err != nil {
		return err
	}
	if err := part.Sync(); err != nil {
		return err
	}
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}
