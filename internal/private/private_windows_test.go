package private_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/toolcontract/toolcontract/internal/private"
)

func isWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

// assertForTheUserAlone reads the access control list back: it inherits
// nothing, and its one entry is the user's. Wine keeps a mode instead, and
// derives another list from it, which has an entry for the system and may
// inherit.
func assertForTheUserAlone(t *testing.T, path string) {
	t.Helper()
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	require.NoError(t, err)
	list, entries, _ := strings.Cut(descriptor.String(), "(")
	if isWine() {
		entries = strings.Replace(entries, "A;;FA;;;SY)(", "", 1)
	} else {
		assert.Contains(t, list, "P", path)
	}
	assert.Equal(t, "A;;FA;;;"+user.User.Sid.String()+")", entries, path)
	assert.NoError(t, private.Check(path))
}

func TestCreate_MakesAFileForTheUserAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "created")
	file, err := private.Create(path)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assertForTheUserAlone(t, path)
	_, err = private.Create(path)
	require.ErrorIs(t, err, fs.ErrExist)
}

func TestRename_WaitsForAProgramThatHasTheFileOpen(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	require.NoError(t, os.WriteFile(from, nil, 0o600))
	reader, err := os.Open(from)
	require.NoError(t, err)
	require.Error(t, os.Rename(from, to), "such a program is in the way")
	renamed := make(chan error, 1)
	go func() { renamed <- private.Rename(from, to) }()
	time.Sleep(50 * time.Millisecond) // it may have begun
	require.NoError(t, reader.Close())
	require.NoError(t, <-renamed)
}
