package catalog

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/private"
)

// maxStateBytes bounds a state file.
const maxStateBytes = 64 << 20

// readStateFile reads a state file, and returns what identifies it. A missing
// file is the zero savedState and no error. Anything else that is not a
// complete state, such as an empty or torn file, is an error: a catalogue that
// forgot what it saw would accept any downgrade. A link is an error too, and so
// is a file that another user owns or can write.
func readStateFile(path string) (savedState, fs.FileInfo, error) {
	info, err := stateFileInfo(path)
	if info == nil || err != nil {
		return savedState{}, nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return savedState{}, nil, stateFileError("cannot be opened", err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxStateBytes+1))
	switch {
	case err != nil:
		return savedState{}, nil, stateFileError("cannot be read", err)
	case len(data) > maxStateBytes:
		return savedState{}, nil, stateFileError("is too large for a state", nil)
	}
	s, err := parseState(data)
	return s, info, err
}

// stateFileInfo returns what identifies a state file, or nil if there is none.
func stateFileInfo(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // there is no file
	case err != nil:
		return nil, stateFileError("cannot be opened", err)
	case !info.Mode().IsRegular():
		return nil, stateFileError("is a link, a folder or another thing that is no regular file", nil)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return nil, stateFileError("can be written by others; run chmod 600", nil)
	case isOfOther(info):
		return nil, stateFileError("belongs to another user", nil)
	}
	return info, nil
}

// isSameFile reports whether a file is the one seen before; before is nil if
// there was none. Each write of a state creates a new file.
func isSameFile(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime())
}

// WriteFile replaces the state file atomically: after a crash at any point, the
// file has the old or the new state. When it returns nil, the new state is on
// disk. Only its owner can read the file. While it writes, there is a second
// file with ".new" appended to the name.
func (s savedState) WriteFile(path string) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return stateFileError("cannot be written", err)
	}
	text, err := jsontext.AppendFormat(nil, raw, jsontext.WithIndent(" "))
	if err != nil {
		return stateFileError("cannot be written", err)
	}
	if err := replaceFile(path, append(text, '\n')); err != nil {
		return stateFileError("cannot be written", err)
	}
	return nil
}

// replaceFile writes a new file next to path and renames it to path. The data
// is on disk before the rename, and the rename before replaceFile returns.
func replaceFile(path string, data []byte) (err error) {
	next := path + ".new"
	// A file that a crash left behind is incomplete. It may also be a link,
	// which must not be followed.
	if err := os.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := private.Create(next)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(next)
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = private.Rename(next, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a directory durable. Windows has no such call
// and writes names immediately.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func stateFileError(message string, cause error) error {
	e := &Error{File: fileState, Rule: ruleStateFile, Message: "the file " + message,
		Remedy: "check that the file and its folder belong to this user"}
	return errors.Join(e, cause)
}
