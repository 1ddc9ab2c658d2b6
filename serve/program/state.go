package program

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/toolcontract/toolcontract/guard"
)

// A State is what a guard must remember, in a file. sqlitefile.File is one.
type State interface {
	// Options returns the options of a guard that keeps its state there.
	Options() []guard.Option
	// Close closes the file. It is called after the guard is closed.
	Close() error
}

// statePath returns the file of the state, or "" if there is none.
func (s Server) statePath(f flags) (string, error) {
	if f.state != "" || !s.DefaultState || f.http != "" {
		return f.state, nil
	}
	folder, err := stateFolder(runtime.GOOS, os.Getenv, os.UserHomeDir)
	return filepath.Join(folder, s.Name, "state.db"), err
}

// openState opens the state of the flags. It returns nil if there is none. The
// options of the server author, which follow, can set another namespace.
func (s Server) openState(f flags) (State, []guard.Option, error) {
	path, err := s.statePath(f)
	if path == "" || s.OpenState == nil || err != nil {
		return nil, nil, err
	}
	state, err := s.OpenState(path)
	if err != nil {
		return nil, nil, err
	}
	return state, append(state.Options(), guard.WithNamespace(s.Name)), nil
}

// stateFolder returns the folder in which programs of the user keep their
// state.
func stateFolder(system string, variable func(string) string, home func() (string, error)) (string, error) {
	switch system {
	case "windows":
		if folder := variable("LocalAppData"); folder != "" {
			return folder, nil
		}
		return "", errors.New("program: %LocalAppData% is not set; pass -state with the path of a file")
	case "darwin", "ios":
		folder, err := home()
		return filepath.Join(folder, "Library", "Application Support"), err
	}
	// XDG Base Directory Specification: a relative path is ignored.
	if folder := variable("XDG_STATE_HOME"); filepath.IsAbs(folder) {
		return folder, nil
	}
	folder, err := home()
	return filepath.Join(folder, ".local", "state"), err
}
