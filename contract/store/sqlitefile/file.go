// Package sqlitefile keeps the state of a guard in one SQLite file, for a
// server that a desktop host starts anew for each session, and often twice at
// once.
//
//	state, err := sqlitefile.Open("/home/ada/.local/state/mail/state.db")
//	if err != nil { … }
//	defer state.Close()
//	g, err := guard.New(append(options, state.Options()...)...)
//
// The Server of package program has the field OpenState for it, which adds the
// flag -state.
//
// Outcomes, spent tokens, open questions and declines outlive the process, and
// all processes of the user share them: a call runs once, and the other one
// waits or gets its result.
//
// Beside the file are its keys, in a file with the suffix .keys that only the
// user may read. Without them the results in the state cannot be read. Keep
// both together, also in a backup.
//
// The file must be on a local disk, because SQLite's locks do not work over a
// network. An answered call is on the disk: it outlives a loss of power. The
// driver is modernc.org/sqlite, which needs no cgo. Package sqlstore has the
// store alone, for any driver and for other databases.
package sqlitefile

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver

	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/store/sqlstore"
)

// settings are those of each connection. The timeout is shorter than the one
// that a guard gives its store, so that a locked file is an answer.
var settings = url.Values{"_pragma": {"busy_timeout(300)", "journal_mode(WAL)", "synchronous(FULL)"}}

// A File is the state of a guard in a file. [Open] makes one; the zero File is
// not usable. It is safe for concurrent use.
type File struct {
	db    *sql.DB
	store *sqlstore.Store
	keys  [][]byte
}

// Open opens the state in a file. It makes the file, its folder and its keys if
// they do not exist, for the user alone. The options are those of the store.
// The error names the file and the remedy.
func Open(path string, opts ...sqlstore.Option) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	// SQLite makes files for all users, and its log has the mode of the file.
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the author's file
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	if err := made.Close(); err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	keys, err := readKeys(path + ".keys")
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("sqlitefile: Open: %w", err)
	}
	s, err := sqlstore.Open(db, sqlstore.SQLite, append([]sqlstore.Option{sqlstore.WithMigration()}, opts...)...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitefile: Open: %s: %w", path, err), db.Close())
	}
	return &File{db: db, store: s, keys: keys}, nil
}

// Options returns the options of a guard that keeps its state in the file.
func (f *File) Options() []guard.Option {
	return []guard.Option{guard.WithStore(f.store), guard.WithSealingKeys(f.keys[0], f.keys[1:]...)}
}

// Close closes the file. Close the guard before. Closing twice is no error.
func (f *File) Close() error { return f.db.Close() }
