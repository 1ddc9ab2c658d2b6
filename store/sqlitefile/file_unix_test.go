//go:build unix

package sqlitefile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// The test's user may write every file, so a user who may not opens the file in
// a separate process.
func TestOpen_NamesTheRemedyForAFileThatCannotBeWritten(t *testing.T) {
	if path := os.Getenv(childFile); path != "" {
		_, err := sqlitefile.Open(path)
		require.ErrorContains(t, err, "let the user of the server write the file and its folder")
		require.ErrorContains(t, err, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	program := os.Args[0]
	if os.Geteuid() == 0 { // another user has to find this program
		program = filepath.Join(filepath.Dir(path), "test")
		binary, err := os.ReadFile(os.Args[0])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(program, binary, 0o755))
		require.NoError(t, os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755))
		require.NoError(t, os.Chown(path+".keys", 65534, 65534))
	}
	for _, mode := range []os.FileMode{0o444, 0o666} { // the file, and the folder, which SQLite writes too
		require.NoError(t, os.Chmod(path, mode))
		require.NoError(t, os.Chmod(path+".keys", 0o400))
		require.NoError(t, os.Chmod(filepath.Dir(path), 0o555))
		child := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$") //nolint:gosec // this test
		child.Dir = filepath.Dir(path)
		child.Env = append(os.Environ(), childFile+"="+path)
		if os.Geteuid() == 0 {
			child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		output, err := child.CombinedOutput()
		assert.NoError(t, err, string(output))
	}
	require.NoError(t, os.Chmod(filepath.Dir(path), 0o755))
}
