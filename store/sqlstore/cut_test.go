package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/store/sqlstore/internal/testing/servertest"
)

// A cut ends a connection at a statement: before the database gets it, or after
// the database has run it but before its answer arrives.
type cut struct {
	text   string
	after  atomic.Bool
	left   atomic.Int64 // such statements until the cut; not positive: no cut
	more   atomic.Int64 // queries of a record that are cut after that
	hasCut atomic.Bool
}

// at reports whether to cut at this statement.
func (c *cut) at(statement string) bool {
	if c.hasCut.Load() && strings.Contains(statement, "SELECT state, owner") && c.more.Add(-1) >= 0 {
		return true
	}
	if !strings.Contains(strings.ToLower(statement), strings.ToLower(c.text)) || c.left.Add(-1) != 0 {
		return false
	}
	c.hasCut.Store(true)
	return true
}

// proxied opens a PostgreSQL database through a TCP proxy.
func proxied(t *testing.T, url string, c *cut) *sql.DB {
	t.Helper()
	host := strings.TrimPrefix(strings.Fields(url)[0], "host=")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := new(net.Dialer).DialContext(context.Background(), "unix", filepath.Join(host, ".s.PGSQL.5432"))
			if err != nil {
				_ = client.Close()
				return
			}
			go c.pass(client, server)
		}
	}()
	address, ok := listener.Addr().(*net.TCPAddr)
	require.True(t, ok)
	db, err := sql.Open("pgx", fmt.Sprintf("host=127.0.0.1 port=%d %s sslmode=disable default_query_exec_mode=cache_describe",
		address.Port, strings.Join(strings.Fields(url)[1:], " ")))
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// pass copies between two connections until the cut.
func (c *cut) pass(client, server net.Conn) {
	var silent atomic.Bool
	go func() {
		defer client.Close()
		defer server.Close()
		answer := make([]byte, 1<<16)
		for {
			n, err := server.Read(answer)
			if err != nil || silent.Load() {
				return
			}
			if _, err := client.Write(answer[:n]); err != nil {
				return
			}
		}
	}()
	defer server.Close()
	sent := make([]byte, 1<<16)
	for {
		n, err := client.Read(sent)
		if err != nil {
			return
		}
		if n > 0 && (sent[0] == 'P' || sent[0] == 'Q') && c.at(string(sent[:n])) {
			silent.Store(true)
			if !c.after.Load() {
				return
			}
		}
		if _, err := server.Write(sent[:n]); err != nil {
			return
		}
	}
}

// A cutDriver is SQLite's driver with connections that break.
type cutDriver struct {
	of  driver.Driver
	dsn string
	cut *cut
}

func (d cutDriver) Connect(context.Context) (driver.Conn, error) {
	conn, err := d.of.Open(d.dsn)
	return &cutConn{conn, d.cut, false}, err
}

func (d cutDriver) Driver() driver.Driver { return d.of }

type cutConn struct {
	driver.Conn

	cut  *cut
	gone bool
}

var errCut = errors.New("the connection is lost")

// do runs a statement, unless the connection is lost.
func (c *cutConn) do(statement string, run func() error) error {
	if c.gone {
		return errCut
	}
	if !c.cut.at(statement) {
		return run()
	}
	c.gone = true
	if c.cut.after.Load() {
		_ = run()
	}
	return errCut
}

func (c *cutConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.do(query, func() (err error) {
		r, err = c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
		return err
	})
	return r, err
}

func (c *cutConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (r driver.Rows, err error) {
	err = c.do(query, func() (err error) {
		r, err = c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
		return err
	})
	if c.gone && r != nil {
		_ = r.Close()
	}
	return r, err
}

func (c *cutConn) Prepare(query string) (driver.Stmt, error) {
	prepared, err := c.Conn.Prepare(query)
	return &cutStmt{prepared, query, c}, err
}

// A cutStmt is a prepared statement of a connection that breaks.
type cutStmt struct {
	driver.Stmt

	query string
	conn  *cutConn
}

func (s *cutStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (r driver.Result, err error) {
	err = s.conn.do(s.query, func() (err error) {
		r, err = s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
		return err
	})
	return r, err
}

func (s *cutStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (r driver.Rows, err error) {
	err = s.conn.do(s.query, func() (err error) {
		r, err = s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
		return err
	})
	if s.conn.gone && r != nil {
		_ = r.Close()
	}
	return r, err
}

func (c *cutConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.gone {
		return nil, driver.ErrBadConn
	}
	if err := c.do("begin", func() error { return nil }); err != nil {
		return nil, err
	}
	tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, options)
	return cutTx{tx, c}, err
}

func (c *cutConn) IsValid() bool { return !c.gone }

type cutTx struct {
	driver.Tx

	conn *cutConn
}

func (tx cutTx) Commit() error   { return tx.conn.do("commit", tx.Tx.Commit) }
func (tx cutTx) Rollback() error { return tx.conn.do("rollback", tx.Tx.Rollback) }

// onCut runs a test on a database of each kind, with a store whose connections
// the cut breaks.
func onCut(t *testing.T, text string, test func(t *testing.T, db *sql.DB, s *sqlstore.Store, c *cut)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		path, cut := filepath.Join(t.TempDir(), "state.db"), &cut{text: text}
		db := openSQLite(t, path)
		bookings(t, db)
		open(t, db, sqlstore.SQLite)
		broken := sql.OpenDB(cutDriver{db.Driver(), sqliteURL(path), cut})
		t.Cleanup(func() { _ = broken.Close() })
		test(t, db, open(t, broken, sqlstore.SQLite), cut)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url, cut := servertest.PostgresURL(t), &cut{text: text}
		db := opening("pgx")(t, url)
		bookings(t, db)
		_, err := db.ExecContext(t.Context(), `CREATE FUNCTION conflict() RETURNS bigint LANGUAGE plpgsql AS $$
			BEGIN RAISE EXCEPTION 'a conflict' USING ERRCODE = '40001'; END $$`)
		require.NoError(t, err)
		open(t, db, sqlstore.Postgres)
		test(t, db, open(t, proxied(t, url, cut), sqlstore.Postgres), cut)
	})
}

// cutTexts maps parts of the statements at which a connection is lost to how
// often they occur.
var cutTexts = map[string]int64{
	"txid_current_if_assigned": 3, "BEGIN": 2, "SAVEPOINT": 2, "tc_complete": 1, "UPDATE tc_records SET started": 1, "commit": 1,
	"rollback": 1, "FOR UPDATE": 1, "INSERT INTO bookings": 1, "SELECT count(*) FROM bookings": 1, "conflict()": 1,
}

// Wherever a connection is lost, a call either has booked once or can be
// repeated.
func TestThreat181_ALostConnectionCausesNoUnknownOutcome(t *testing.T) {
	t.Parallel()
	ends := map[string]func(ctx context.Context) error{
		"success": func(context.Context) error { return nil },
		"failure": func(context.Context) error { return errTaken },
		"conflict": func(ctx context.Context) error {
			tx, err := sqlstore.Tx(ctx)
			if err == nil {
				err = tx.QueryRowContext(ctx, "SELECT conflict()").Scan(new(int64))
			}
			return err
		},
	}
	for text, n := range cutTexts {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			onCut(t, text, func(t *testing.T, db *sql.DB, s *sqlstore.Store, c *cut) {
				t.Helper()
				for name, end := range ends {
					for i := range 2 * n {
						runs := 0
						client := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
							runs++
							out, err := booking(ctx, in)
							if err == nil && runs == 1 {
								err = end(ctx)
							}
							return out, err
						}))
						_, err := db.ExecContext(t.Context(), `DELETE FROM bookings`)
						require.NoError(t, err)
						c.after.Store(i%2 == 1)
						c.left.Store(i/2 + 1)
						in := bookIn{fmt.Sprint(name, i)}
						require.Eventually(t, func() bool {
							r := client.Call("visits.book", in)
							return !assert.NotEqual(t, contract.CodeOutcomeUnknown, r.Outcome.Code, in.Slot) || !r.IsError
						}, time.Minute, 10*time.Millisecond)
						assert.Equal(t, 1, count(t, db, "bookings"), in.Slot)
						booked(t, client.Call("visits.book", in), 1)
					}
				}
			})
		})
	}
}

// A handler commits, and the connection is lost before the guard checks.
func TestThreat181_ALostConnectionHidesNoCommitOfAHandler(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]error{"success": nil, "failure": errTaken} {
		for _, away := range []bool{false, true} { // also lost when the record is read
			t.Run(fmt.Sprint(name, away), func(t *testing.T) {
				t.Parallel()
				onCut(t, "COMMIT", func(t *testing.T, db *sql.DB, s *sqlstore.Store, c *cut) {
					t.Helper()
					runs := 0
					client := dial(t, s, atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
						runs++
						out, err := booking(ctx, in)
						require.NoError(t, err)
						tx, err := sqlstore.SQLTx(ctx)
						require.NoError(t, err)
						c.after.Store(true)
						c.left.Store(1)
						if away {
							c.more.Store(1)
						}
						_, err = tx.ExecContext(ctx, "COMMIT")
						require.Error(t, err)
						return out, end
					}))
					for range 3 {
						r := client.Call("visits.book", slot)
						if !away || runs > 1 {
							assert.Equal(t, contract.CodeOutcomeUnknown, r.Outcome.Code, r.Text)
						}
					}
					require.True(t, c.hasCut.Load())
					assert.Equal(t, 1, runs)
					assert.Equal(t, 1, count(t, db, "bookings"))
				})
			})
		}
	}
}
