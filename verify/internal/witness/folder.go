package witness

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// A Snapshot is the state of a folder and everything below it: kinds, modes,
// sizes, and hashes of contents. The zero value is an empty folder.
type Snapshot struct {
	files map[string]file // by absolute path
}

// A file is the state of one path.
type file struct {
	mode fs.FileMode
	size int64
	hash [sha256.Size]byte // of the content, or of the target of a link
}

// Tree reads a folder. It follows no symbolic links, except root itself. A root
// that does not exist counts as an empty folder. Files that vanish in the
// meantime are left out.
func Tree(root string) (Snapshot, error) {
	s := Snapshot{files: map[string]file{}}
	abs, err := filepath.Abs(root)
	if err != nil {
		return s, fmt.Errorf("witness: folder %q: %w", root, err)
	}
	target, err := filepath.EvalSymlinks(abs)
	if gone(err) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("witness: folder %q: %w", root, err)
	}
	err = filepath.WalkDir(target, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			var f file
			if f, err = stateOf(path); err == nil {
				s.files[path] = f
			}
		}
		if gone(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return s, fmt.Errorf("witness: folder %q: %w", root, err)
	}
	return s, nil
}

// gone reports whether a path no longer exists, or whether one of its folders
// has become a file.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Content describes a path's kind, mode and content. It is "" if the path does
// not exist.
func Content(path string) string {
	f, err := stateOf(path)
	if gone(err) {
		return ""
	}
	return fmt.Sprint(f)
}

// stateOf reads one path.
func stateOf(path string) (file, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return file{}, err
	}
	f := file{mode: info.Mode()}
	switch {
	case f.mode.IsRegular():
		f.size = info.Size()
		f.hash, err = hashOf(path)
	case f.mode&fs.ModeSymlink != 0:
		var target string
		target, err = os.Readlink(path)
		f.hash = sha256.Sum256([]byte(target))
	}
	return f, err
}

// hashOf returns the hash of a regular file's content.
func hashOf(path string) (hash [sha256.Size]byte, err error) {
	content, err := os.Open(path)
	if err != nil {
		return hash, err
	}
	defer func() { err = errors.Join(err, content.Close()) }()
	h := sha256.New()
	_, err = io.Copy(h, content)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// Diff returns the events that lead from s to after, ordered by path. A renamed
// file appears as one removed and one written.
func (s Snapshot) Diff(after Snapshot) []Event {
	paths := maps.Clone(s.files)
	if paths == nil {
		paths = map[string]file{}
	}
	maps.Copy(paths, after.files)
	var events []Event
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, before := s.files[path]
		is, now := after.files[path]
		e := Event{By: Folder, Path: path}
		switch {
		case !before:
			e.Kind, e.Detail = Write, "created"
		case !now:
			e.Kind, e.Detail = Remove, "removed"
		case was.mode.Type() != is.mode.Type() || was.size != is.size || was.hash != is.hash:
			e.Kind, e.Detail = Write, "changed"
		case was.mode != is.mode:
			e.Kind, e.Detail = Mode, "mode changed"
		default:
			continue
		}
		events = append(events, e)
	}
	return events
}
