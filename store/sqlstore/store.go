package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// errBadConn makes database/sql discard a connection.
var errBadConn = driver.ErrBadConn

// A Store is a [store.Transactor] in a database. [Open] returns one; the zero
// Store is not usable. It is safe for concurrent use.
type Store struct {
	store.Transactor

	operations *operations
}

// operations is the Transactor of a [Store].
type operations struct {
	db         *sql.DB
	dialect    Dialect
	epoch      string
	maxEntries int64 // of one partition
	maxBytes   int64
	migrate    bool

	texts      sync.Map             // statements in the dialect, by their text; see bound
	kept       map[string]*sql.Stmt // SQLite's prepared statements, by the same texts
	syncs      int                  // SQLite's pragma synchronous: 2 or more syncs each commit
	tell       func(clock int64) int64
	clockShift int64 // shifts the clock of functions of the database, in tests
	steps      atomic.Uint64
	sweeping   atomic.Bool
	lockOwners sync.Map // owners whose records are locked by transactions of this process
	unclear    sync.Map // owners whose handlers may have ended their transactions

	busyTimeout time.Duration // how long SQLite waits for a lock; zero in other databases
}

// openLimit bounds how long Open queries the database.
const openLimit = 30 * time.Second

// Open returns a store in a database, whose tables must exist; see [Schema] and
// [WithMigration]. The caller owns the database and closes it. An error names
// the invalid option, or what is wrong with the database and the remedy.
//
// When you restore a copy of the database, empty its epoch in tc_schema before
// opening it. Open then gives it a new one, so that no person's answer counts
// twice.
func Open(db *sql.DB, dialect Dialect, opts ...Option) (*Store, error) {
	s, err := ofDatabase("Open", db, dialect)
	if err != nil {
		return nil, err
	}
	s.tell = func(clock int64) int64 { return clock }
	if dialect == SQLite {
		s.tell = func(int64) int64 { return time.Now().UnixNano() }
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("sqlstore: an option is nil")
		}
		if err := opt(s); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), openLimit)
	defer cancel()
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return &Store{Transactor: s, operations: s}, nil
}

// ofDatabase returns the operations of a store that has not queried its
// database yet.
func ofDatabase(operation string, db *sql.DB, dialect Dialect) (*operations, error) {
	if db == nil {
		return nil, fmt.Errorf("sqlstore: %s: the database is nil", operation)
	}
	if !dialect.isKnown() {
		return nil, fmt.Errorf("sqlstore: %s: the dialect is unknown: use SQLite or Postgres; for Redis, use package redisstore",
			operation)
	}
	return &operations{db: db, dialect: dialect, maxEntries: defaultMaxEntries, maxBytes: defaultMaxBytes}, nil
}

// IsLocal returns false: other processes can use the same records.
func (s *operations) IsLocal() bool { return false }

// Epoch returns the text that the database got with its tables, or from the
// first Open after it was restored from a copy; see [Open].
func (s *operations) Epoch() string { return s.epoch }

// bound returns a statement with the dialect's clock instead of the column
// clock, and with its placeholders.
func (s *operations) bound(statement string) string {
	if text, ok := s.texts.Load(statement); ok {
		return text.(string) //nolint:forcetypeassert // it is one
	}
	text := strings.Replace(statement, " clock ", " "+s.dialect.clock()+" ", 1)
	if s.dialect != SQLite {
		text = numbered(text)
	}
	s.texts.Store(statement, text)
	return text
}

// forUpdate is the end of a query that locks the row that it finds.
func (s *operations) forUpdate() string {
	if s.dialect == SQLite {
		return ""
	}
	return " FOR UPDATE"
}

// An Option configures a [Store].
type Option func(*operations) error

const (
	defaultMaxEntries = 100_000
	defaultMaxBytes   = 64 << 20
)

// entryBytes is what a record or a nonce takes in its table and the indexes,
// without its result, in whichever database it is larger.
const entryBytes = 400

// WithMaxEntries bounds the number of records and nonces of one principal
// together, and separately the number of its counts. It does not bound the size
// of results; see [WithMaxBytes]. At the bound, new claims and nonces of the
// principal get [store.ErrFull] until some of its entries expire, and those of
// its counts whose window ends first are forgotten. Default: 100,000, which is
// about 40 MB without results. A number below two is an error, because a claim
// with a nonce needs two entries.
func WithMaxEntries(n int) Option {
	return func(s *operations) error {
		if n < 2 {
			return errors.New("sqlstore: WithMaxEntries: the number is below two")
		}
		s.maxEntries = int64(n)
		return nil
	}
}

// WithMaxBytes bounds the bytes that one principal takes in the database, so
// that no principal fills it for others. It counts the bytes of the results,
// plus 400 bytes for each record and nonce. If there is no room for a new
// result or entry, results of the principal are dropped, the oldest first.
// Their records remain, so that a repeated call does not run again but learns
// only that it completed. A result that would not fit even then is not kept. If
// dropping all results would not make room, a new entry gets [store.ErrFull].
// Default: 64 MiB. A bound too small for two entries is an error.
//
// In PostgreSQL the result of an atomic call drops no others; the principal's
// next new entry does. Until then the bytes may exceed the bound by the results
// of the atomic calls that ended meanwhile.
func WithMaxBytes(n int64) Option {
	return func(s *operations) error {
		if minimum := int64(2 * entryBytes); n < minimum {
			return fmt.Errorf("sqlstore: WithMaxBytes: the number is less than %d; pass more", minimum)
		}
		s.maxBytes = n
		return nil
	}
}

// WithMigration makes Open create the tables that the database lacks. Several
// processes may do that at once. If one of them is killed, the next one creates
// the tables. Default: [Open] returns an error, because a database's schema
// belongs to its operator.
func WithMigration() Option {
	return func(s *operations) error {
		s.migrate = true
		return nil
	}
}

// check reads the version of the tables. It tries again while another process
// keeps the database busy, for example because it is creating a SQLite file.
func (s *operations) check(ctx context.Context) error {
	for {
		err := s.tryCheck(ctx)
		if !errors.Is(err, store.ErrBusy) {
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return err
		}
	}
}

// busyPause is how long Open waits before it tries a busy database again.
const busyPause = 10 * time.Millisecond

func (s *operations) tryCheck(ctx context.Context) error {
	version, err := s.version(ctx)
	if err == nil && s.dialect == SQLite {
		err = s.checkSettings(ctx)
	}
	if err != nil {
		return err
	}
	if version == 0 && s.migrate {
		if err := s.makeTables(ctx); err != nil {
			return err
		}
		if version, err = s.version(ctx); err != nil {
			return err
		}
	}
	if err := s.checkVersion(version); err != nil {
		return err
	}
	if err := s.renewEpoch(ctx); err != nil {
		return err
	}
	return s.prepare(ctx)
}

// checkSettings checks the settings of a connection to SQLite without which
// calls of several processes would fail.
func (s *operations) checkSettings(ctx context.Context) error {
	var mode string
	if err := s.db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return fmt.Errorf("sqlstore: Open: the database does not answer: %w", failure(err))
	}
	if mode != "wal" {
		return errors.New("sqlstore: Open: the journal_mode is not WAL: set it for each connection, and use a file")
	}
	var timeout int
	err := s.db.QueryRowContext(ctx, "SELECT timeout, synchronous FROM pragma_busy_timeout, pragma_synchronous").
		Scan(&timeout, &s.syncs)
	if err != nil {
		return fmt.Errorf("sqlstore: Open: the database does not answer: %w", failure(err))
	}
	s.busyTimeout = time.Duration(timeout) * time.Millisecond
	if timeout <= 0 {
		return errors.New("sqlstore: Open: there is no busy_timeout: set one for each connection, such as 300 ms")
	}
	return nil
}
