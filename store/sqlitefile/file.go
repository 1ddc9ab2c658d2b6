// Package sqlitefile keeps a guard's state in one SQLite file, for a server
// that a desktop host starts anew for each session, often twice at once.
//
//	state, err := sqlitefile.Open("/home/ada/.local/state/mail/state.db")
//	if err != nil { … }
//	defer state.Close()
//	g, err := guard.New(append(options, state.Options()...)...)
//
// In package program, set Server.OpenState, which adds the flag -state.
//
// Outcomes, spent tokens, open questions and declines outlive the process, and
// all of the user's processes share them: if two make the same call, it runs
// once and the other one waits or gets its result.
//
// The keys are next to the file, in one with the suffix .keys that only the
// user may read. Without them the results in the state cannot be read, so Open
// refuses a state whose keys are missing. [Backup] copies both while they are
// in use, [Rotate] adds a new key, and [Inspect] returns what a state contains.
//
// The file must be on a local disk, because SQLite's locks do not work over a
// network. A call runs once its claim is on disk, so it does not run again
// after a power loss, but the outcome of the last calls may then be unknown. An
// atomic call is on disk once it is answered. The driver is modernc.org/sqlite,
// which needs no cgo. Package sqlstore has just the store, for any driver and
// for other databases.
package sqlitefile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store/sqlitefile/internal/private"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// settings apply to each connection. The timeout is shorter than a guard's
// StoreTimeout, so that a locked file is reported in time. SQLite overwrites
// the bytes of removed rows, which costs about 5 percent more writes. Foreign
// keys are enforced for the handlers' tables.
var settings = url.Values{"_pragma": {
	"busy_timeout(300)", "journal_mode(WAL)", "synchronous(FULL)", "secure_delete(ON)", "foreign_keys(ON)",
}}

// A File is a guard's state in a file. [Open] returns one; the zero File is not
// usable. It is safe for concurrent use.
type File struct {
	db    *sql.DB
	store *sqlstore.Store
	keys  [][]byte
}

// Open opens the state in a file. It creates the file, its folder and its keys
// if they do not exist, readable by the user alone. A state without its keys is
// an error, because nothing in it could be read; see [Rotate]. Open follows
// symbolic links; the keys are next to the file that they lead to. The options
// are those of the store. An error names the file and the remedy.
func Open(path string, opts ...sqlstore.Option) (*File, error) {
	path, err := makeFile(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	db, err := openDatabase(path, settings)
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	// On Windows, SQLite's log and its index take the folder's access rights.
	err = errors.Join(private.Restrict(path+"-wal"), private.Restrict(path+"-shm"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitefile: Open: %w", withRemedy(path, err)), db.Close())
	}
	keys, err := keysOf(db, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitefile: Open: %w", err), db.Close())
	}
	s, err := sqlstore.Open(db, sqlstore.SQLite, append([]sqlstore.Option{sqlstore.WithMigration()}, opts...)...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitefile: Open: %s: %w", path, err), db.Close())
	}
	return &File{db: db, store: s, keys: keys}, nil
}

var errNoPath = errors.New("the path is empty: name a file")

// makeFile creates the file of a state if it does not exist, and returns its
// path without links.
func makeFile(path string) (string, error) {
	if path == "" {
		return "", errNoPath
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	err = private.MkdirAll(filepath.Dir(path))
	if err == nil {
		// SQLite would create files for all users. On Unix, its log takes the mode of
		// the file.
		var made *os.File
		made, err = private.Open(path)
		if err == nil {
			err = made.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrExist):
		return "", fmt.Errorf("%s: a link in the path leads to a folder that does not exist: create the folder", path)
	case err != nil:
		return "", withRemedy(path, err)
	}
	return resolvePath(path)
}

// resolvePath returns the path of a file without links, so that every name of a
// state leads to the same keys. SQLite puts its log there too.
func resolvePath(path string) (string, error) {
	if path == "" {
		return "", errNoPath
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// lockedLimit bounds how long a locked file is retried.
const lockedLimit = 5 * time.Second

// openDatabase opens an existing file. It reads from it, so that an error names
// the fault and the remedy. SQLite does not wait for a process that is creating
// the log, so openDatabase does.
func openDatabase(path string, settings url.Values) (*sql.DB, error) {
	// An opaque path need not begin with a slash, so it can be a Windows path,
	// such as C:\state.db or \\server\share\state.db.
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockedLimit); ; time.Sleep(10 * time.Millisecond) {
		var version int
		err := db.QueryRowContext(context.Background(), "PRAGMA schema_version").Scan(&version)
		if err == nil {
			return db, nil
		}
		if codeOf(err) != codeLocked || time.Now().After(end) {
			return nil, errors.Join(withRemedy(path, err), db.Close())
		}
	}
}

// SQLite's codes for a file that cannot be used.
const (
	codeStatement = 1 // such as one with an unknown table
	codeLocked    = 5
	codeReadOnly  = 8
	codeCorrupt   = 11
	codeNoFile    = 14 // or no file beside it
	codeNotSQL    = 26
)

// withRemedy adds the remedy to a file's error.
func withRemedy(path string, err error) error {
	code := codeOf(err)
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file in it", path)
	}
	switch {
	case code == codeNotSQL:
		return fmt.Errorf("%s is no SQLite database: name another file", path)
	case code == codeLocked:
		return fmt.Errorf("%s is locked by another process: end it, or name another file", path)
	case code == codeCorrupt:
		return fmt.Errorf("%s is damaged: restore it from a backup, with its keys", path)
	case code == codeReadOnly, code == codeNoFile, errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s cannot be written: let the user of the server write the file and its folder", path)
	}
	return err
}

// Options returns the options for a guard that keeps its state in the file.
func (f *File) Options() []guard.Option {
	return []guard.Option{guard.WithStore(f.store), guard.WithSealingKeys(f.keys[0], f.keys[1:]...)}
}

// DB returns the database, for the tables that the handlers of atomic tools
// write to with sqlstore.Tx. Foreign keys are enforced. Close closes it.
func (f *File) DB() *sql.DB { return f.db }

// Close closes the file. Close the guard first. Closing twice is not an error.
func (f *File) Close() error { return f.db.Close() }
