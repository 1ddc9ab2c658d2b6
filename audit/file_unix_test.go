//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

func TestFileIsPrivateToItsOwner(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	writeLog(t, path, 0, 1)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())

	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o602, 0o666, 0o700, 0o777} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := audit.OpenFile(path)
		assert.ErrorIs(t, err, fs.ErrPermission, "%v", mode)
		ofFile(t, err, "open", path)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode(), "it is not changed")
	}
	require.NoError(t, os.Chmod(path, 0o600))
	assert.Equal(t, 2, verifyFile(t, path, writeLog(t, path, 1, 2)).Records)
}

func TestFileDoesNotFollowLinks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	target, link, pipe := filepath.Join(folder, "target"), filepath.Join(folder, "link"), filepath.Join(folder, "pipe")
	for _, link := range []string{link, link + "2"} {
		require.NoError(t, os.Symlink(target, link))
		_, err := audit.OpenFile(link)
		assert.ErrorIs(t, err, audit.ErrNotRegular)
		assert.NoFileExists(t, target, "nothing is created behind it")
	}
	writeLog(t, target, 0, 1)
	_, err := audit.OpenFile(link)
	assert.ErrorIs(t, err, audit.ErrNotRegular)

	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err = audit.OpenFile(pipe)
	assert.ErrorIs(t, err, audit.ErrNotRegular)
	_, err = audit.OpenFile(os.DevNull)
	assert.ErrorIs(t, err, audit.ErrNotRegular)
}

// A process between fork and exec shares its parent's open files. A second
// descriptor of the same open file simulates it.
func TestFileReleasesItsLockWhileAnotherProcessHasTheFile(t *testing.T) {
	t.Parallel()
	const open = "/proc/self/fd"
	if _, err := os.Stat(open); err != nil {
		t.Skip("the system has no /proc to find a descriptor in")
	}
	path := logPath(t)
	sink := openLog(t, path)
	entries, err := os.ReadDir(open)
	require.NoError(t, err)
	held := -1
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(open, e.Name())); err == nil && target == path {
			fd, err := strconv.Atoi(e.Name())
			require.NoError(t, err)
			held, err = syscall.Dup(fd)
			require.NoError(t, err)
		}
	}
	require.NotEqual(t, -1, held, "the log's descriptor was not found")
	defer func() { assert.NoError(t, syscall.Close(held)) }()
	require.NoError(t, sink.Close())
	again, err := audit.OpenFile(path)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
