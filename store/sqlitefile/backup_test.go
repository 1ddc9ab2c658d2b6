package sqlitefile_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func slot(n int) bookIn { return bookIn{Slot: fmt.Sprint(n)} }

// echo books the slot with a number under that number.
func echo(_ context.Context, in bookIn) (bookOut, error) {
	n, err := strconv.ParseInt(in.Slot, 10, 64)
	return bookOut{n}, err
}

func TestBackup_OfAStateInUseHasEveryCallThatEndedBefore(t *testing.T) {
	if path := os.Getenv(childFile); path != "" {
		for n := 1; ; n++ {
			process(t, path, echo).Call("visits.book", slot(n))
			_, _ = fmt.Fprintln(os.Stdout, "booked", n)
		}
	}
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "state.db")
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec // this test
	child.Env = append(os.Environ(), childFile+"="+path)
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	})
	lines := bufio.NewReader(output)
	booked := func() (n int) {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		_, err = fmt.Sscanf(line, "booked %d", &n)
		require.NoError(t, err, line)
		return n
	}
	for i := range 3 {
		before := 0
		for range 5 {
			before = booked()
		}
		copied := filepath.Join(folder, fmt.Sprint("copy ", i, oddName))
		require.NoError(t, sqlitefile.Backup(t.Context(), path, copied))
		for _, name := range []string{copied, copied + ".keys"} {
			assertForTheUserAlone(t, name)
		}
		assertWhole(t, copied)
		restored := process(t, copied, func(context.Context, bookIn) (bookOut, error) {
			t.Error("a call of before the copy ran again")
			return bookOut{}, nil
		})
		for n := 1; n <= before; n++ {
			r := restored.Call("visits.book", slot(n))
			assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
			assert.JSONEq(t, fmt.Sprintf(`{"number":%d}`, n), string(r.Structured))
		}
	}
	before := booked()
	require.Eventually(t, func() bool { return booked() > before+3 }, time.Minute, time.Microsecond, "the server goes on")
}

func assertWhole(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	var report string
	require.NoError(t, db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&report))
	assert.Equal(t, "ok", report)
}

func TestBackup_WritesOnlyNewFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, taken := range []string{"a", "b.keys"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, taken), []byte("other"), 0o600))
	}
	other := filepath.Join(folder, "other.db")
	db, err := sql.Open("sqlite", other)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE TABLE visits (slot TEXT)")
	require.NoError(t, errors.Join(err, db.Close()))
	require.NoError(t, os.WriteFile(other+".keys", []byte("other"), 0o600))

	for _, tt := range []struct{ from, to, want string }{
		{path, "a", "exists"},
		{path, "b", "exists"},
		{path, "state.db", "exists"},
		{filepath.Join(folder, "none"), "c", filepath.Join(folder, "none")},
		{other, "c", "is not the state of a guard"},
		{filepath.Join(folder, "b.keys"), "c", "no SQLite database"},
		{folder, "c", "is a folder"},
	} {
		assert.ErrorContains(t, sqlitefile.Backup(t.Context(), tt.from, filepath.Join(folder, tt.to)), tt.want)
	}
	for _, name := range []string{"a", "b.keys"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.Equal(t, "other", string(text))
	}
	for _, name := range []string{"b", "c", "c.keys", "none"} {
		assert.NoFileExists(t, filepath.Join(folder, name), "nothing is left of a copy that failed")
	}
}

func TestRotate_PutsANewKeyBeforeTheOthers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	require.Error(t, sqlitefile.Rotate(path), "there is no state")
	process(t, path, echo).Call("visits.book", slot(1))
	keys := func() []string {
		text, err := os.ReadFile(path + ".keys")
		require.NoError(t, err)
		return strings.Fields(string(text))
	}
	first := keys()
	require.NoError(t, sqlitefile.Rotate(path))
	require.NoError(t, sqlitefile.Rotate(path))
	rotated := keys()
	require.Len(t, rotated, 3)
	assert.Equal(t, first[0], rotated[2])
	assert.NotEqual(t, rotated[0], rotated[1])
	assertForTheUserAlone(t, path+".keys")

	r := process(t, path, echo).Call("visits.book", slot(1))
	assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, "the former key opens what it has sealed")
	process(t, path, echo).Call("visits.book", slot(2))
	require.NoError(t, os.WriteFile(path+".keys", []byte(first[0]+"\n"), 0o600))
	r = process(t, path, echo).Call("visits.book", slot(2))
	assert.Equal(t, contract.CodeAlreadyDone, r.Outcome.Code, "the new key has sealed")

	require.NoError(t, os.WriteFile(path+".keys.new", nil, 0o600))
	require.ErrorContains(t, sqlitefile.Rotate(path), "another rotation")
	require.NoError(t, os.Remove(path+".keys.new"))
	require.NoError(t, os.WriteFile(path+".keys", []byte("broken"), 0o600))
	require.ErrorContains(t, sqlitefile.Rotate(path), "restore the file")
	assert.NoFileExists(t, path+".keys.new")
}
