package sqlstore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// found returns how often a text occurs in a SQLite database's files.
func found(t *testing.T, path, text string) (n int) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		require.NoError(t, err)
		n += bytes.Count(content, []byte(text))
	}
	return n
}

func TestForget_LeavesNoBytesInAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db := openSQLite(t, path)
	s := open(t, db, sqlstore.SQLite)
	for i := range 300 { // rows that share pages, and large ones on pages of their own
		for _, principal := range []string{"ada", "bob"} {
			result := strings.Repeat(principal+"'s result.", 1+i%7*100)
			finish(t, s, keyOf(principal, fmt.Sprint(i)), store.Completed, result)
		}
	}
	require.Positive(t, found(t, path, "ada's result"))
	_, err := s.Forget(t.Context(), store.Scope{Namespace: "n", Principal: "ada"})
	require.NoError(t, err)
	assert.Zero(t, found(t, path, "ada's result"))
	assert.Positive(t, found(t, path, "bob's result"))
}

// A reader still needs the old log, so nothing can be removed from it.
func TestForget_ReportsALogThatAnotherProcessNeeds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	db, other := openSQLite(t, path), openSQLite(t, path)
	s := open(t, db, sqlstore.SQLite)
	finish(t, s, keyOf("ada", "1"), store.Completed, "ada's result")
	reader, err := other.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	var n int
	require.NoError(t, reader.QueryRowContext(t.Context(), "SELECT count(*) FROM tc_records").Scan(&n))

	ada := store.Scope{Namespace: "n", Principal: "ada"}
	records, err := s.Forget(t.Context(), ada)
	assert.ErrorIs(t, err, store.ErrBusy)
	assert.EqualValues(t, 1, records, "they are removed")
	assert.Positive(t, found(t, path, "ada's result"))
	require.NoError(t, reader.Rollback())
	records, err = s.Forget(t.Context(), ada)
	require.NoError(t, err)
	assert.Zero(t, records)
	assert.Zero(t, found(t, path, "ada's result"), "nothing is left to forget, but in the log")
}
