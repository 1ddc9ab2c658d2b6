package audit_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/internal/private"
)

// isWine reports whether these tests run on wine, which does not tell a program
// that a file it has open was deleted.
func isWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// On Windows, access control lists decide who reads a log. A log inherits
// nothing from its folder, which may be shared.
func TestFileIsForTheUserAlone(t *testing.T) {
	t.Parallel()
	path, folder := logPath(t), filepath.Join(t.TempDir(), "logs")
	writeLog(t, path, 0, 1)
	require.NoError(t, private.Check(path))
	sink := openFolder(t, folder, 0)
	write(t, sink, 1)
	for _, log := range logsIn(t, folder) {
		require.NoError(t, private.Check(log))
	}

	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	handle, err := windows.CreateFile(name, windows.WRITE_DAC, 0, nil, windows.OPEN_EXISTING, 0, 0)
	require.NoError(t, err)
	shared, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;WD)")
	require.NoError(t, err)
	require.NoError(t, windows.SetKernelObjectSecurity(handle, windows.DACL_SECURITY_INFORMATION, shared))
	require.NoError(t, windows.CloseHandle(handle))
	_, err = audit.OpenFile(path)
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.ErrorContains(t, err, "run icacls")
	ofFile(t, err, "open", path)
}
