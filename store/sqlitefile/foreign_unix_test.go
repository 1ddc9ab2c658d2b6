//go:build unix

package sqlitefile_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// newState makes a state and returns its path.
func newState(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return path
}

// Root rotates for the user who runs the server, who must still be able to read
// the keys.
func TestRotate_KeepsTheOwnerTheModeAndTheLink(t *testing.T) {
	t.Parallel()
	for name, missing := range map[string]bool{"present": false, "missing": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newState(t)
			keys := filepath.Join(t.TempDir(), "keys")
			require.NoError(t, os.Rename(path+".keys", keys))
			if missing {
				keys = path + ".keys"
			} else {
				require.NoError(t, os.Symlink(keys, path+".keys"))
				require.NoError(t, os.Chmod(keys, 0o640))
			}
			owner := os.Getuid()
			if owner == 0 {
				owner = 65534
				for _, name := range []string{path, keys} {
					if err := os.Chown(name, owner, owner); !os.IsNotExist(err) {
						require.NoError(t, err)
					}
				}
			}
			require.NoError(t, sqlitefile.Rotate(path))
			info, err := os.Lstat(keys)
			require.NoError(t, err)
			of, ok := info.Sys().(*syscall.Stat_t)
			require.True(t, ok)
			assert.EqualValues(t, owner, of.Uid)
			if !missing {
				assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
				link, err := os.Lstat(path + ".keys")
				require.NoError(t, err)
				assert.NotZero(t, link.Mode()&os.ModeSymlink, "the link is still one")
			}
		})
	}
}

func TestOpen_RefusesTheKeysOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	path := newState(t)
	require.NoError(t, os.Chown(path+".keys", 65534, 65534))
	_, err := sqlitefile.Open(path)
	require.ErrorContains(t, err, "belongs to another user")
}

// Another program's file has, in place of a table, something that runs forever.
func TestInspect_RunsNothingFromAForeignFile(t *testing.T) {
	t.Parallel()
	const endless = ` AS WITH RECURSIVE n (version) AS (SELECT 1 UNION ALL SELECT version + 1 FROM n)
		SELECT version, '' AS epoch FROM n WHERE version < 0`
	for name, statements := range map[string][]string{
		"tc_schema":  {"DROP TABLE tc_schema", "CREATE VIEW tc_schema" + endless},
		"tc_records": {"DROP TABLE tc_records", "CREATE VIEW tc_records" + endless},
		"a trigger": {
			"CREATE TABLE other (n int)", "CREATE TRIGGER t AFTER UPDATE ON tc_schema BEGIN INSERT INTO other " +
				"WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) SELECT v FROM n WHERE v < 0; END",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newState(t)
			db, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			for _, s := range statements {
				_, err := db.ExecContext(t.Context(), s)
				require.NoError(t, err)
			}
			require.NoError(t, db.Close())
			ended := make(chan error, 2)
			go func() {
				_, err := sqlitefile.Inspect(t.Context(), path)
				ended <- err
				ended <- sqlitefile.Backup(t.Context(), path, path+".copy")
			}()
			for range 2 {
				select {
				case err := <-ended:
					require.ErrorContains(t, err, "is not the state of a guard")
				case <-time.After(time.Minute):
					t.Fatal("it runs what the file has")
				}
			}
		})
	}
}
