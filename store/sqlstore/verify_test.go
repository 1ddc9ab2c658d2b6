package sqlstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/verify"
)

// A failingTB records what fails a test.
type failingTB struct {
	testing.TB

	text strings.Builder
}

func (f *failingTB) Errorf(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }

func (f *failingTB) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	runtime.Goexit()
}

// verified returns what CheckIdempotency writes about a tool that writes a row
// for each visit by the statements of write. The rows are counted by another
// connection.
func verified(t *testing.T, db *sql.DB, d sqlstore.Dialect, write func(context.Context) (sqlstore.DBTX, error)) string {
	t.Helper()
	_, err := db.ExecContext(t.Context(), `CREATE TABLE visits (slot VARCHAR(40))`)
	require.NoError(t, err)
	rows := func(slot string) (n int) {
		err := db.QueryRowContext(context.Background(), `SELECT count(*) FROM visits WHERE slot = '`+slot+`'`).Scan(&n)
		assert.NoError(t, err)
		return n
	}
	tool := atomicTool(func(ctx context.Context, in bookIn) (bookOut, error) {
		by, err := write(ctx)
		if err != nil {
			return bookOut{}, err
		}
		_, err = by.ExecContext(ctx, `INSERT INTO visits (slot) VALUES ('`+in.Slot+`')`)
		return bookOut{1}, err
	}).MustBuild()
	opts := []verify.Option{
		verify.WithFixture(func(testing.TB) verify.Fixture {
			_, err := db.ExecContext(context.Background(), `DELETE FROM visits`)
			assert.NoError(t, err)
			for _, table := range []string{"tc_records", "tc_nonces", "tc_counts"} {
				_, _ = db.ExecContext(context.Background(), `DELETE FROM `+table) // the first time there are none
			}
			return verify.Fixture{Store: open(t, db, d)}
		}),
		verify.WithEffects(func(input string) int {
			var in bookIn
			assert.NoError(t, json.Unmarshal([]byte(input), &in))
			return rows(in.Slot)
		}),
	}
	for _, at := range []string{"9:00", "10:00", "11:00", "12:00"} {
		opts = append(opts, verify.Case{Input: bookIn{at}})
	}
	f, over := &failingTB{TB: t}, make(chan struct{})
	go func() {
		defer close(over)
		verify.CheckIdempotency(f, tool, opts...)
	}()
	<-over
	return f.text.String()
}

func TestTx_IsVerifiedAsAtomic(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		assert.Empty(t, verified(t, db, d, sqlstore.Tx))
	})
}

func TestTx_AWritePastItIsContradicted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		pool := func(context.Context) (sqlstore.DBTX, error) { return db, nil }
		assert.Contains(t, verified(t, db, d, pool), "contradicted [idempotent.notAtomic]")
	})
}
