package sqlitefile_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func TestOpen_MakesAFileForTheUserAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "another", "state"+oddName)
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	for _, name := range []string{path, path + ".keys", path + "-wal", path + "-shm"} {
		assertForTheUserAlone(t, name)
	}
	assertForTheUserAlone(t, filepath.Dir(path))
	assertForTheUserAlone(t, filepath.Dir(filepath.Dir(path)))
	require.NoError(t, f.Close())
	require.NoError(t, f.Close(), "twice")
}

// On Unix the log takes the file's mode. On Windows it would take the folder's
// access rights.
func TestThreat187_FilesInASharedFolderAreForTheUserAlone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o755))
	path := filepath.Join(folder, "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	for _, suffix := range []string{"", ".keys", "-wal", "-shm"} {
		assertForTheUserAlone(t, path+suffix)
	}
	require.NoError(t, sqlitefile.Backup(t.Context(), path, path+".copy"))
	require.NoError(t, sqlitefile.Rotate(path))
	for _, suffix := range []string{".keys", ".copy", ".copy.keys"} {
		assertForTheUserAlone(t, path+suffix)
	}
	require.NoError(t, f.Close())
}

// A claim survives a power loss, and a locked file is reported within a guard's
// StoreTimeout.
func TestOpen_SetsEachConnection(t *testing.T) {
	t.Parallel()
	f, err := sqlitefile.Open(filepath.Join(t.TempDir(), "state.db"))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	for range 3 {
		conn, err := f.DB().Conn(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, conn.Close()) })
		for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "busy_timeout": "300"} {
			var got string
			require.NoError(t, conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got))
			assert.Equal(t, want, got, pragma)
		}
	}
}

// SQLite leaves its log if the last two connections are closed at once, because
// neither of them can lock the file. The next one to be closed removes it.
func TestOpen_AtOnceMakesOneState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			f, err := sqlitefile.Open(path)
			if assert.NoError(t, err) {
				assert.NoError(t, f.Close())
			}
		})
	}
	wait.Wait()
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{"state.db", "state.db.keys"}, names)
}

func TestOpen_RefusesKeysThatItCannotRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "", "short": "00\n", "no hexadecimal": "secret\n"} {
		path := filepath.Join(t.TempDir(), "state.db")
		f, err := sqlitefile.Open(path) // its keys keep their access control list, which Windows doesn't make from a mode
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.NoError(t, os.WriteFile(path+".keys", []byte(text), 0o600))
		_, err = sqlitefile.Open(path)
		require.ErrorContains(t, err, "restore the file", name)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestOpen_NamesTheRemedyForAFileThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	require.NoError(t, os.WriteFile(at("text"), bytes.Repeat([]byte("secret\n"), 1000), 0o600))
	require.NoError(t, os.Mkdir(at("folder"), 0o700))
	change := func(name, statement string) {
		f, err := sqlitefile.Open(at(name))
		require.NoError(t, err)
		require.NoError(t, f.Close())
		db, err := sql.Open("sqlite", at(name))
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), statement)
		require.NoError(t, errors.Join(err, db.Close()))
	}
	change("newer", "UPDATE tc_schema SET version = 2")
	change("damaged", "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 9999 WHERE name = 'tc_schema'")
	for name, want := range map[string]string{
		"text": "name another file", "folder": "name a file in it", "newer": "update the program", "damaged": "from a backup",
		"text/state.db": "text", // it is not a folder
	} {
		_, err := sqlitefile.Open(at(name))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, at("text")[:len(folder)])
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestOpen_RefusesKeysThatOthersCanRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := filepath.Join(t.TempDir(), "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o660: true, 0o604: false, 0o602: false, 0o666: false} {
		require.NoError(t, os.Chmod(path+".keys", mode))
		f, err := sqlitefile.Open(path)
		assert.Equal(t, want, err == nil, "%v: %v", mode, err)
		if err != nil {
			assert.ErrorContains(t, err, "run chmod 600")
			continue
		}
		require.NoError(t, f.Close())
	}
}

func TestOpen_AnEmptyPathIsNotTheCurrentFolder(t *testing.T) {
	t.Parallel()
	_, err := sqlitefile.Open("")
	require.ErrorContains(t, err, "the path is empty")
	require.Error(t, sqlitefile.Backup(t.Context(), "", filepath.Join(t.TempDir(), "copy.db")))
}
