package sqlitefile_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func once(t *testing.T) contract.Handler[bookIn, bookOut] {
	return func(context.Context, bookIn) (bookOut, error) {
		t.Error("the call ran again")
		return bookOut{}, nil
	}
}

func TestOpen_WithoutTheKeysOfAStateMakesNoOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	process(t, path, echo).Call("visits.book", slot(1))
	lost := filepath.Join(t.TempDir(), "lost")
	require.NoError(t, os.Rename(path+".keys", lost))
	for range 2 {
		_, err := sqlitefile.Open(path)
		require.ErrorContains(t, err, path+" ")
		require.ErrorContains(t, err, path+".keys")
		require.ErrorContains(t, err, "toolcontract state rotate")
		assert.NoFileExists(t, path+".keys")
	}
	require.ErrorContains(t, sqlitefile.Backup(t.Context(), path, path+".copy"), path+".keys")
	assert.NoFileExists(t, path+".copy")
	require.NoError(t, os.Rename(lost, path+".keys"))
	r := process(t, path, once(t)).Call("visits.book", slot(1))
	assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
}

// Open recovers from whatever file a process killed in Open leaves behind.
func TestOpen_GoesOnAfterACrashInOpen(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]func(path string){
		"the file":           func(path string) { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"a database":         func(path string) { statement(t, path, "PRAGMA journal_mode = WAL") },
		"tables of handlers": func(path string) { statement(t, path, "CREATE TABLE visits (slot TEXT)") },
		"the keys": func(path string) {
			f, err := sqlitefile.Open(path)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.NoError(t, os.Remove(path))
		},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		left(path)
		r := process(t, path, echo).Call("visits.book", slot(1))
		assert.Equal(t, contract.StatusOK, r.Outcome.Status, name)
		r = process(t, path, once(t)).Call("visits.book", slot(1))
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, name)
	}
}

// A process that finds no keys may then see the tables of another process that
// has made both since.
func TestOpen_AtOnceSharesTheKeys(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "state.db")
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				f, err := sqlitefile.Open(path)
				if assert.NoError(t, err) {
					assert.NoError(t, f.Close())
				}
			})
		}
		wait.Wait()
		keys, err := os.ReadFile(path + ".keys")
		require.NoError(t, err)
		assert.Len(t, keys, 65, "one key")
	}
}

func TestOpen_ByEveryNameOfAStateUsesItsKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := func(elements ...string) string { return filepath.Join(append([]string{folder}, elements...)...) }
	require.NoError(t, os.Mkdir(at("there"), 0o700))
	for link, target := range map[string]string{
		at("link"): at("there", "state.db"), at("relative"): filepath.Join("there", "state.db"), at("twice"): at("link"),
		at("folder"): at("there"), at("nowhere"): at("none", "state.db"),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Skip("wine makes no links, but says that it does")
		}
	}
	names := []string{at("link"), at("there", "state.db"), at("relative"), at("twice"), at("folder", "state.db")}
	process(t, names[0], echo).Call("visits.book", slot(1)) // the link dangles before
	for _, name := range names {
		r := process(t, name, once(t)).Call("visits.book", slot(1))
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, name)
		require.NoError(t, sqlitefile.Rotate(name))
		require.NoError(t, sqlitefile.Backup(t.Context(), name, filepath.Join(t.TempDir(), "copy")))
	}
	links, err := filepath.Glob(at("*.keys*"))
	require.NoError(t, err)
	assert.Empty(t, links)
	_, err = sqlitefile.Open(at("nowhere"))
	require.ErrorContains(t, err, at("nowhere"))
	assert.ErrorContains(t, err, "link")
}

func TestRotate_GoesOnWithoutKeysThatAreLost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	process(t, path, echo).Call("visits.book", slot(1))
	lost, err := os.ReadFile(path + ".keys")
	require.NoError(t, err)
	require.NoError(t, os.Remove(path+".keys"))
	require.NoError(t, sqlitefile.Rotate(path))
	assertForTheUserAlone(t, path+".keys")
	r := process(t, path, once(t)).Call("visits.book", slot(1))
	assert.Equal(t, contract.CodeAlreadyDone, r.Outcome.Code)

	found, err := os.ReadFile(path + ".keys")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".keys", append(found, lost...), 0o600))
	r = process(t, path, once(t)).Call("visits.book", slot(1))
	assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, "the former key was found")
}
