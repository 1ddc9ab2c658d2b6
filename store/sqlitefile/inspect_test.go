package sqlitefile_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// statement runs a statement on another program's database.
func statement(t *testing.T, path, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), text)
	require.NoError(t, errors.Join(err, db.Close()))
}

// bytesOf returns the files of a folder.
func bytesOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

func TestInspect_ReturnsWhatTheStateHolds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	holds := func(calls int64) {
		found, err := sqlitefile.Inspect(t.Context(), path)
		require.NoError(t, err)
		assert.Equal(t, calls, found.Records[store.Completed])
	}
	t.Run("in use", func(t *testing.T) {
		c := process(t, path, echo)
		c.Call("visits.book", slot(1))
		holds(1)
		c.Call("visits.book", slot(2))
		holds(2)
	})
	before := bytesOf(t, filepath.Dir(path))
	assert.Len(t, before, 2, "the state and its keys")
	holds(2)
	assert.Equal(t, before, bytesOf(t, filepath.Dir(path)))
}

// Another program's files stay as they are.
func TestState_RefusesAFileThatIsNoState(t *testing.T) {
	t.Parallel()
	const table = "CREATE TABLE visits (slot TEXT); INSERT INTO visits VALUES ('9:00')"
	for name, left := range map[string]func(path string){
		"a rollback journal": func(path string) { statement(t, path, table) },
		"a log":              func(path string) { statement(t, path, "PRAGMA journal_mode = WAL; "+table) },
		"another tc_schema":  func(path string) { statement(t, path, "CREATE TABLE tc_schema (name TEXT)") },
		"an empty file":      func(path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"a text": func(path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("text\n"), 1000), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "other.db")
			left(path)
			before := bytesOf(t, folder)
			_, err := sqlitefile.Inspect(t.Context(), path)
			require.ErrorContains(t, err, path)
			require.ErrorContains(t, sqlitefile.Rotate(path), path)
			require.ErrorContains(t, sqlitefile.Backup(t.Context(), path, filepath.Join(folder, "copy")), path)
			assert.Equal(t, before, bytesOf(t, folder))
		})
	}
}

// A result that has expired or was dropped leaves no bytes.
func TestFile_OverwritesWhatIsRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	for _, text := range []string{
		"CREATE TABLE visits (note TEXT)", "INSERT INTO visits VALUES ('an expired result'), ('another one')",
		"DELETE FROM visits WHERE note LIKE 'an e%'",
	} {
		_, err := f.DB().ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	content := bytesOf(t, filepath.Dir(path))["state.db"]
	assert.Contains(t, content, "another one")
	assert.NotContains(t, content, "an expired result")
}
