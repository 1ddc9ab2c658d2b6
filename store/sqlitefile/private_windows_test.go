package sqlitefile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// oddName is a name that ends in characters with a meaning in URIs. A Windows
// name can't have a question mark.
const oddName = "#%20 &é.db"

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
		entries = strings.Replace(strings.Replace(entries, "A;;FA;;;SY)(", "", 1), "A;OICI;FA;;;SY)(", "", 1)
	} else {
		assert.Contains(t, list, "P", path)
	}
	entries = strings.Replace(entries, "OICI", "", 1) // in a folder's entry
	assert.Equal(t, "A;;FA;;;"+user.User.Sid.String()+")", entries, path)
}

func TestOpen_RefusesKeysThatOtherWindowsUsersCanRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f, err := sqlitefile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for entries, want := range map[string]bool{
		"(A;;FA;;;WD)": false, "(A;;FR;;;BU)": false, "(A;;FW;;;AU)": false, "": true, "(A;;FA;;;BA)(A;;FA;;;SY)": true,
	} {
		if isWine() && !want && !strings.Contains(entries, "WD") {
			continue // wine forgets all groups but Everyone
		}
		user, err := windows.GetCurrentProcessToken().GetTokenUser()
		require.NoError(t, err)
		descriptor, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")" + entries)
		require.NoError(t, err)
		setAccess(t, path+".keys", descriptor)
		f, err := sqlitefile.Open(path)
		assert.Equal(t, want, err == nil, "%s: %v", entries, err)
		if err != nil {
			assert.ErrorContains(t, err, "run icacls")
			continue
		}
		require.NoError(t, f.Close())
	}
}

func setAccess(t *testing.T, path string, to *windows.SECURITY_DESCRIPTOR) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(path)
	require.NoError(t, err)
	handle, err := windows.CreateFile(name, windows.WRITE_DAC, 0, nil, windows.OPEN_EXISTING, 0, 0)
	require.NoError(t, err)
	require.NoError(t, windows.SetKernelObjectSecurity(handle, windows.DACL_SECURITY_INFORMATION, to))
	require.NoError(t, windows.CloseHandle(handle))
}

// Rotate replaces keys while a virus scanner or another process is reading
// them, and Open waits for a rotation.
func TestRotate_WaitsForAProgramThatReadsTheKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	process(t, path, echo).Call("visits.book", slot(1))
	reader, err := os.Open(path + ".keys")
	require.NoError(t, err)
	rotated := make(chan error, 1)
	go func() { rotated <- sqlitefile.Rotate(path) }()
	require.Eventually(t, func() bool {
		_, err := os.Stat(path + ".keys.new")
		return err == nil
	}, time.Minute, time.Millisecond, "it has written the new keys")
	require.NoError(t, reader.Close())
	require.NoError(t, <-rotated)
	r := process(t, path, once(t)).Call("visits.book", slot(1))
	assert.Equal(t, contract.StatusReplayed, r.Outcome.Status)
}

func TestOpen_TakesEveryWindowsPath(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	volume := filepath.VolumeName(folder)
	share := `\\localhost\` + strings.Replace(volume, ":", "$", 1) + folder[len(volume):]
	for name, path := range map[string]string{
		"an umlaut": filepath.Join(folder, "Büro Müller", "stätë 日本.db"),
		"slashes":   filepath.ToSlash(filepath.Join(folder, "slashes", "state.db")),
		"a long path": filepath.Join(folder, strings.Repeat("long ", 20)+"a", strings.Repeat("b", 100),
			strings.Repeat("c", 100), "state.db"),
		"a path of a device": `\\?\` + filepath.Join(folder, "device.db"),
		"a share":            filepath.Join(share, "share.db"),
	} {
		if _, err := os.Stat(share); err != nil && name == "a share" {
			t.Log("no test of a share: ", err)
			continue
		}
		r := process(t, path, echo).Call("visits.book", slot(1))
		assert.Equal(t, contract.StatusOK, r.Outcome.Status, name)
		r = process(t, path, once(t)).Call("visits.book", slot(1))
		assert.Equal(t, contract.StatusReplayed, r.Outcome.Status, name)
		require.NoError(t, sqlitefile.Backup(t.Context(), path, path+".copy"), name)
		require.NoError(t, sqlitefile.Rotate(path), name)
		_, err := sqlitefile.Inspect(t.Context(), path)
		require.NoError(t, err, name)
	}
}
