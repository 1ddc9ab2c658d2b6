package sqlitefile_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/store/sqlitefile"
)

func TestOpen_MakesAFileForTheUserAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "state?#%20.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close(), "twice")
	for _, name := range []string{path, path + ".keys"} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), name)
	}
	folder, err := os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), folder.Mode().Perm())
}

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
		require.NoError(t, os.WriteFile(path+".keys", []byte(text), 0o600))
		_, err := sqlitefile.Open(path)
		require.ErrorContains(t, err, "restore the file", name)
		assert.NotContains(t, err.Error(), "secret")
	}
}
