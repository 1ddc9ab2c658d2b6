package operator

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A source is the file or address of a state.
type source struct {
	driver, name string
	dialect      sqlstore.Dialect
	path         string // of the file; empty for an address
}

// fileSettings are the settings that a store needs. A command can wait longer
// than a server for a locked file.
var fileSettings = url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}}

// sourceOf reads an argument. No error repeats it, because an address may
// contain a password.
func (p Program) sourceOf(argument string) (source, error) {
	scheme, _, isAddress := strings.Cut(argument, "://")
	if !isAddress {
		return p.ofFile(argument)
	}
	if scheme != "postgres" && scheme != "postgresql" {
		return source{}, errors.New("the address is not one of PostgreSQL; pass an address that begins with postgres://, or the " +
			"file of a SQLite state (there is no such command for Redis)")
	}
	return source{driver: "pgx", name: argument, dialect: sqlstore.Postgres}, nil
}

// ofFile never creates a file. It follows links so that the files next to the
// database are found.
func (p Program) ofFile(path string) (source, error) {
	switch {
	case p.Inspect == nil:
		return source{}, errors.New("this program keeps no state in a file; pass an address that begins with postgres://")
	case path == "":
		return source{}, errors.New("the path is empty; name the file of the state")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(path)
	}
	if err != nil {
		// Don't repeat the argument: it may be an address with a password in a form
		// that isn't recognised here.
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		return source{}, fmt.Errorf("the file cannot be found: %w; "+
			"name the file of -state, or pass an address that begins with postgres://", err)
	}
	if info.IsDir() {
		return source{}, fmt.Errorf("%s is a folder; name the file of the state", path)
	}
	address := url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: fileSettings.Encode()}
	return source{driver: "sqlite", name: address.String(), dialect: sqlstore.SQLite, path: path}, nil
}

// open opens the database, without sending a query yet.
func (s source) open() (*sql.DB, error) {
	db, err := sql.Open(s.driver, s.name)
	if err != nil {
		return nil, errors.New("the address is not one of a database, or the program has no driver for it")
	}
	return db, nil
}

// inspect returns what a state holds, without changing anything. A file that is
// not a state is an error.
func (p Program) inspect(ctx context.Context, s source) (sqlstore.Summary, error) {
	if s.path != "" {
		return p.Inspect(ctx, s.path)
	}
	db, err := s.open()
	if err != nil {
		return sqlstore.Summary{}, err
	}
	defer db.Close() //nolint:errcheck // it was only read
	found, err := sqlstore.Inspect(ctx, db, s.dialect)
	if err != nil {
		return sqlstore.Summary{}, s.explain(err)
	}
	return found, nil
}

// withStore calls a function with the store of an existing state.
func (p Program) withStore(ctx context.Context, argument string, f func(*sqlstore.Store) error) error {
	s, err := p.sourceOf(argument)
	if err != nil {
		return err
	}
	if s.path != "" { // opening another file for writing would change it
		if _, err := p.inspect(ctx, s); err != nil {
			return err
		}
	}
	db, err := s.open()
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // every change is committed
	records, err := sqlstore.Open(db, s.dialect)
	if err != nil {
		return s.explain(err)
	}
	return f(records)
}

// explain adds what a person can do.
func (s source) explain(err error) error {
	if s.path != "" {
		return fmt.Errorf("%s: %w; run this as the user of the server", s.path, err)
	}
	return fmt.Errorf("%w; check the address and its password, and whether the database runs", err)
}
