package billing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolcontract/toolcontract/examples/invoices/ledger"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// Open opens the books in a file, which it makes if it does not exist. The file
// also has the records of the calls, which the options of the result give to
// the guard: the guard commits both together. An empty path stands for a file
// that is removed at the end, as if all were in memory.
func (d *Desk) Open(path string) (program.Backend, error) {
	if path == "" {
		return d.openTemporary()
	}
	file, err := d.openFile(path)
	if err != nil {
		return program.Backend{}, err
	}
	return program.Backend{Options: append(file.Options(), guard.WithNamespace("invoices")), Close: file.Close}, nil
}

func (d *Desk) openFile(path string) (*sqlitefile.File, error) {
	// The folder of books exists: another one is probably a mistake.
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, err
	}
	file, err := sqlitefile.Open(path)
	if err != nil {
		return nil, err
	}
	if d.Ledger, err = ledger.Open(context.Background(), file.DB()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return file, nil
}

// A temporary store belongs to this process alone.
type temporary struct{ *sqlstore.Store }

// IsLocal returns true, so that the guard warns of what the next process will
// not know.
func (temporary) IsLocal() bool { return true }

func (d *Desk) openTemporary() (program.Backend, error) {
	folder, err := os.MkdirTemp("", "invoices-")
	if err != nil {
		return program.Backend{}, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	file, err := d.openFile(filepath.Join(folder, "books.db"))
	if err != nil {
		return program.Backend{}, errors.Join(err, remove())
	}
	backend := program.Backend{Close: file.Close}.Closing(remove)
	records, err := sqlstore.Open(file.DB(), sqlstore.SQLite)
	if err != nil {
		return program.Backend{}, errors.Join(err, backend.Close())
	}
	backend.Options = []guard.Option{guard.WithStore(temporary{records})}
	return backend, nil
}
