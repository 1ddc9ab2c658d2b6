package witness_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func TestTree_ReportsAFolderThatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, open := range []string{filepath.Dir(dir), dir} {
		require.NoError(t, os.Chmod(open, 0o755)) //nolint:gosec // for the user below
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "closed"), 0))
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		if os.Getuid() == 0 {  // root reads every folder
			assert.NoError(t, unix.Setfsuid(65534))
		}
		_, err := witness.Tree(dir)
		failed <- err
	}()
	err := <-failed
	require.ErrorIs(t, err, fs.ErrPermission)
	var path *fs.PathError
	require.ErrorAs(t, err, &path)
	assert.Equal(t, "closed", filepath.Base(path.Path))
}
