package private_test

import (
	"errors"
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

func isWine() bool { return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil }

// assertOfTheUserAlone reads the access control list back: it inherits nothing,
// and its one entry is the user's. Wine keeps no list, but a mode. It makes
// another list of that, which has an entry of the system and may inherit.
func assertOfTheUserAlone(t *testing.T, path, flags string) {
	t.Helper()
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	require.NoError(t, err)
	list, entries, _ := strings.Cut(descriptor.String(), "(")
	if isWine() {
		entries = strings.Replace(entries, "A;"+flags+";FA;;;SY)(", "", 1)
	} else {
		assert.Contains(t, list, "P", path)
	}
	assert.Equal(t, "A;"+flags+";FA;;;"+user.User.Sid.String()+")", entries, path)
	assert.NoError(t, private.Check(path))
}

func TestPrivate_FilesAndFoldersAreOfTheUserAlone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, private.MkdirAll(folder))
	require.NoError(t, private.MkdirAll(folder), "twice")
	assertOfTheUserAlone(t, folder, "OICI")
	assertOfTheUserAlone(t, filepath.Dir(folder), "OICI")
	shared := t.TempDir()
	for name, open := range map[string]func(string) (*os.File, error){"created": private.Create, "opened": private.Open} {
		path := filepath.Join(shared, name)
		file, err := open(path)
		require.NoError(t, err)
		_, err = file.WriteString("text")
		require.NoError(t, errors.Join(err, file.Close()))
		assertOfTheUserAlone(t, path, "")
		_, err = private.Create(path)
		require.ErrorIs(t, err, fs.ErrExist)
		file, err = private.Open(path)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		text, err := private.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
		require.Error(t, private.MkdirAll(path), "a file is there")
	}
	path := filepath.Join(shared, "existing")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, private.Restrict(path))
	assertOfTheUserAlone(t, path, "")
	require.NoError(t, private.Restrict(path+"2"), "there is no such file")
}

func TestRename_WaitsForAProgramThatHasTheFileOpen(t *testing.T) {
	t.Parallel()
	for name, rename := range map[string]func(from, to string) error{"rename": private.Rename, "rename new": private.RenameNew} {
		from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
		require.NoError(t, os.WriteFile(from, nil, 0o600))
		reader, err := os.Open(from)
		require.NoError(t, err)
		require.Error(t, os.Rename(from, to), "such a program is in the way")
		renamed := make(chan error, 1)
		go func() { renamed <- rename(from, to) }()
		time.Sleep(50 * time.Millisecond) // it may have begun
		require.NoError(t, reader.Close())
		require.NoError(t, <-renamed, name)
		require.NoError(t, os.WriteFile(from, nil, 0o600))
		err = rename(from, to)
		assert.Equal(t, name == "rename new", errors.Is(err, fs.ErrExist), name)
	}
}
