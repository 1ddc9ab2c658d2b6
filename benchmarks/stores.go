package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A sharedStore is a kind of store that several processes can share.
type sharedStore struct {
	name string
	// place makes an empty one and returns the text by which open finds it.
	place func() (string, func(), error)
	open  func(place string) ([]guard.Option, func(), error)
	// written is nil if handlers cannot write into the store.
	written *writtenStore
}

// A writtenStore is a database that can have the rows of a handler beside the
// records.
type writtenStore struct {
	driver   string
	settings string // at the end of a place
	dialect  sqlstore.Dialect
	values   string // the placeholders of an INSERT
}

// sharedStores returns the kinds whose servers are installed.
func sharedStores() []sharedStore {
	kinds := []sharedStore{{"sqlite", placeSQLite, openSQLite, &inSQLite}}
	if server, err := exec.LookPath("redis-server"); err == nil {
		kinds = append(kinds, sharedStore{"redis", func() (string, func(), error) { return runRedis(server) }, openRedis, nil})
	}
	if installed("postgres") != "" {
		kinds = append(kinds, sharedStore{"postgres", postgres.place, inPostgres.open, &inPostgres})
	}
	return kinds
}

var (
	// inSQLite has the settings of package sqlitefile.
	inSQLite = writtenStore{
		"sqlite", "?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(300)", sqlstore.SQLite, "?, ?",
	}
	inPostgres = writtenStore{"pgx", "", sqlstore.Postgres, "$1, $2"}
)

func placeSQLite() (string, func(), error) {
	dir, err := os.MkdirTemp("", "bench")
	return filepath.Join(dir, "state.db"), func() { _ = os.RemoveAll(dir) }, err
}

// openedSQLite is the file that was opened last.
var openedSQLite *sql.DB

func openSQLite(path string) ([]guard.Option, func(), error) {
	f, err := sqlitefile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	openedSQLite = f.DB()
	return append(f.Options(), guard.WithNamespace("bench")), func() { _ = f.Close() }, nil
}

func openRedis(url string) ([]guard.Option, func(), error) {
	s, err := redisstore.Open(url)
	if err != nil {
		return nil, nil, err
	}
	return append(sealed(), guard.WithStore(s)), func() { _ = s.Close() }, nil
}

func (w *writtenStore) open(place string) ([]guard.Option, func(), error) {
	db, err := sql.Open(w.driver, place+w.settings)
	if err != nil {
		return nil, nil, err
	}
	return w.openIn(db)
}

// openIn closes the database in the end.
func (w *writtenStore) openIn(db *sql.DB) ([]guard.Option, func(), error) {
	s, err := sqlstore.Open(db, w.dialect, sqlstore.WithMigration())
	if err != nil {
		_ = db.Close()
		return nil, nil, err
	}
	return append(sealed(), guard.WithStore(s)), func() { _ = db.Close() }, nil
}

// sealed are the options of a guard that shares its store.
func sealed() []guard.Option {
	return []guard.Option{guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithNamespace("bench")}
}

// oneCommit adds a row to a table in the file of the variant before it, in a
// commit that waits for the disk.
func oneCommit() variant {
	return variant{name: "store_sqlite_commit", open: func() (func() error, func(), error) {
		ctx := context.Background()
		if _, err := openedSQLite.ExecContext(ctx, "CREATE TABLE commits (n INTEGER)"); err != nil {
			return nil, nil, err
		}
		insert, err := openedSQLite.PrepareContext(ctx, "INSERT INTO commits VALUES (1)")
		return func() error {
			_, err := insert.ExecContext(ctx)
			return err
		}, func() {}, err
	}}
}

// storesGroup has a call without a record, a recorded call, and a replay, over
// each store, and one commit in the SQLite file of the recorded call.
func storesGroup() group {
	g := group{name: "stores"}
	managed := func() (*contract.Tool, error) { return orders(toolName).Idempotency(onceForEachKey).Build() }
	repeated := messageOf(toolName, validArguments, `,"_meta":{"`+contract.MetaKeyIdempotencyKey+`":"k"}`)
	add := func(name string, options func() ([]guard.Option, func(), error)) {
		g.variants = append(g.variants,
			guardedWith("store_"+name+"_plain", full, same(message(validArguments)), options),
			guardedWith("store_"+name+"_first_run", managed, keyed(), options))
		if name == "sqlite" {
			g.variants = append(g.variants, oneCommit())
		}
		g.variants = append(g.variants, guardedWith("store_"+name+"_replay", managed, same(repeated), options))
	}
	add("memory", roomyMemory)
	for _, kind := range sharedStores() {
		add(kind.name, func() ([]guard.Option, func(), error) {
			place, end, err := kind.place()
			if err != nil {
				return nil, nil, err
			}
			opts, closed, err := kind.open(place)
			if err != nil {
				end()
				return nil, nil, err
			}
			return append(opts, discarded()), func() { closed(); end() }, nil
		})
	}
	for _, kind := range sharedStores() {
		if kind.written != nil {
			g.variants = append(g.variants, writing(kind, false), writing(kind, true))
		}
	}
	return g
}

// writing returns a recorded call whose handler writes a row into the database
// of the store: in a transaction of its own, or in that of the record.
func writing(kind sharedStore, atomic bool) variant {
	name := "store_" + kind.name + "_writes"
	if atomic {
		name = "store_" + kind.name + "_atomic"
	}
	insert := "INSERT INTO priced (customer, total) VALUES (" + kind.written.values + ")"
	var db *sql.DB
	build := func() (*contract.Tool, error) {
		once := onceForEachKey
		once.Atomic = atomic
		return ordersBy(toolName, func(ctx context.Context, in orderIn) (orderOut, error) {
			out, err := order(ctx, in)
			if err != nil {
				return out, err
			}
			var to sqlstore.DBTX = db
			if atomic {
				if to, err = sqlstore.Tx(ctx); err != nil {
					return out, err
				}
			}
			_, err = to.ExecContext(ctx, insert, in.Customer, out.Total)
			return out, err
		}).Idempotency(once).Build()
	}
	return guardedWith(name, build, keyed(), func() ([]guard.Option, func(), error) {
		place, end, err := kind.place()
		if err != nil {
			return nil, nil, err
		}
		if db, err = sql.Open(kind.written.driver, place+kind.written.settings); err != nil {
			end()
			return nil, nil, err
		}
		_, err = db.ExecContext(context.Background(), "CREATE TABLE priced (customer text NOT NULL, total double precision NOT NULL)")
		if err != nil {
			_ = db.Close()
			end()
			return nil, nil, err
		}
		opts, closed, err := kind.written.openIn(db)
		if err != nil {
			end()
			return nil, nil, err
		}
		return append(opts, discarded()), func() { closed(); end() }, nil
	})
}

// processCounts are how many processes share a store, and callsOfEach is how
// many recorded calls each makes in one measurement.
var processCounts = []int{1, 4, 16}

const callsOfEach = 10

// processesGroup has recorded calls of several processes that share a store.
// Each process has a principal of its own.
func processesGroup() group {
	g := group{name: "processes"}
	for _, kind := range sharedStores() {
		for _, n := range processCounts {
			g.variants = append(g.variants, variant{
				name: fmt.Sprintf("processes_%s_%d", kind.name, n), times: n * callsOfEach,
				open: func() (func() error, func(), error) { return kind.shared(n) },
			})
		}
	}
	return g
}

// shared starts processes on one store.
func (k sharedStore) shared(n int) (func() error, func(), error) {
	place, endPlace, err := k.place()
	if err != nil {
		return nil, nil, err
	}
	var all []*process
	end := func() {
		for _, p := range all {
			p.end()
		}
		endPlace()
	}
	for range n {
		p, err := startProcess(k.name, 0, childPlace+"="+place)
		if err != nil {
			end()
			return nil, nil, err
		}
		all = append(all, p)
	}
	next := make([]func() []byte, n)
	for i := range next {
		next[i] = keyed()
	}
	return func() error {
		errs := make(chan error, n)
		for i, p := range all {
			go func() {
				for range callsOfEach {
					answer, err := p.send(next[i]())
					if err == nil {
						err = checkOrder(answer)
					}
					if err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		var err error
		for range all {
			if failed := <-errs; failed != nil {
				err = failed
			}
		}
		return err
	}, end, nil
}

// sharedGuard returns the guard of one of several processes.
func sharedGuard(kind string) (*guard.Guard, error) {
	for _, k := range sharedStores() {
		if k.name != kind {
			continue
		}
		opts, _, err := k.open(os.Getenv(childPlace))
		if err != nil {
			return nil, err
		}
		principal := guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{Issuer: "bench", Subject: fmt.Sprint(os.Getpid()), Permissions: []string{permission}}, nil
		})
		return guard.New(append(opts, discarded(), guard.WithPrincipal(principal))...)
	}
	return nil, fmt.Errorf("unknown server %s", kind)
}
