package dev

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
)

// A watch notices changes to a server's files. It polls, because polling works
// on every file system and with editors that replace files.
type watch struct {
	// paths are the files and folders to watch. Folders are watched with
	// everything below them.
	paths []string
	// source means that this folder's Go files are watched too.
	source bool

	stamps map[string]stamp
}

// A stamp changes whenever its file does.
type stamp struct {
	at   time.Time
	size int64
}

func newWatch(command string, also []string) *watch {
	w := &watch{paths: also, source: target.IsGo(command)}
	if path, err := exec.LookPath(command); err == nil && !w.source {
		w.paths = append(w.paths, path)
	}
	w.stamps = w.look()
	return w
}

// look returns the stamps of all files.
func (w *watch) look() map[string]stamp {
	stamps := map[string]stamp{}
	walk := func(root string, wanted func(name string) bool) {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch name := filepath.Base(path); {
			case err != nil: // it is gone, or cannot be read
			case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules"):
				return fs.SkipDir
			case !d.IsDir() && wanted(name):
				if info, err := d.Info(); err == nil {
					stamps[path] = stamp{info.ModTime(), info.Size()}
				}
			}
			return nil //nolint:nilerr // a file that cannot be read is looked at again
		})
	}
	for _, path := range w.paths {
		walk(path, func(string) bool { return true })
	}
	if w.source {
		walk(".", func(name string) bool {
			return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") ||
				slices.Contains([]string{"go.mod", "go.sum", "go.work"}, name)
		})
	}
	return stamps
}

// run calls changed with the name of a file that changed, once the files have
// stopped changing for a while.
func (w *watch) run(ctx context.Context, every time.Duration, changed func(ctx context.Context, name string)) {
	name := "" // of a changed file that is not reported yet
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		now := w.look()
		found := difference(w.stamps, now)
		w.stamps = now
		if found == "" && name != "" {
			changed(ctx, name)
		}
		name = found
	}
}

// difference returns the name of a file that differs, or "".
func difference(old, now map[string]stamp) string {
	for path, s := range now {
		if old[path] != s {
			return path
		}
	}
	for path := range old {
		if _, left := now[path]; !left {
			return path
		}
	}
	return ""
}
