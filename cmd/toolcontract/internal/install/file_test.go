package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFile_ChangedByAnotherProgramIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o600))
	f, err := read(path, 0o600)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(`{"theirs": 1}`), 0o600))
	_, err = f.replace([]byte(`{"ours": 1}`))
	require.Error(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.JSONEq(t, `{"theirs": 1}`, string(text))
}

func TestFile_ProjectFileIsReadableByOthers(t *testing.T) {
	t.Parallel()
	at := Place{Home: t.TempDir(), Dir: t.TempDir()}
	for scope, want := range map[string]fs.FileMode{project: 0o644, user: 0o600} {
		p, err := Install(Server{Name: "desk", Command: []string{"desk"}}, "cursor", scope, at)
		require.NoError(t, err)
		_, err = p.Do(t.Context(), nil)
		require.NoError(t, err)
		info, err := os.Stat(p.File)
		require.NoError(t, err)
		assert.True(t, runtime.GOOS == "windows" || info.Mode().Perm() == want, scope)
	}
}

func TestFile_IsCopiedBeforeEachChange(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	text := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	change := func(before string) string {
		require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
		f, err := read(path, 0o600)
		require.NoError(t, err)
		backup, err := f.replace([]byte("{}"))
		require.NoError(t, err)
		assert.Equal(t, before, text(backup))
		return backup
	}
	require.NoError(t, os.Symlink("elsewhere", path+backupSuffix+"-2"))
	if _, err := os.Lstat(path + backupSuffix + "-2"); err != nil {
		t.Skip("wine makes no links, but says that it does")
	}
	original, second := change("original"), change("second")
	assert.Equal(t, path+".before-toolcontract", original)
	assert.Equal(t, path+".before-toolcontract-3", second)
	assert.Equal(t, original, change("original"), "there is a copy of this text")
	assert.Equal(t, second, change("second"))
	assert.Equal(t, "original", text(original))
	assert.NoFileExists(t, filepath.Join(filepath.Dir(path), "elsewhere"))
}

func TestFile_ReadOnlyFileIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, os.WriteFile(path, []byte("{}"), 0o400))
	f, err := read(path, 0o600)
	require.NoError(t, err)
	_, err = f.replace([]byte(`{"ours": 1}`))
	require.ErrorContains(t, err, "read-only")
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
}

func TestMangles_OnlyABatchFileAndOnlyWhatItReadsItself(t *testing.T) {
	t.Parallel()
	const json = `{"command":"desk"}`
	assert.True(t, mangles(`C:\npm\claude.cmd`, []string{"mcp", "add-json", "desk", json}))
	assert.True(t, mangles("code.CMD", []string{"--add-mcp", json}))
	assert.True(t, mangles("codex.bat", []string{"mcp", "add", "desk", "--", "%PATH%"}))
	assert.False(t, mangles("claude.cmd", []string{"mcp", "remove", "--scope", "user", "desk"}))
	assert.False(t, mangles("claude.exe", []string{json}))
	assert.False(t, mangles("/usr/bin/claude", []string{json}))
}

func TestFile_ErrorNamesAFolderThatIsAFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.WriteFile(folder, nil, 0o600))
	path := filepath.Join(folder, "mcp.json")
	f, err := read(path, 0o600)
	if err == nil { // on Windows, a path below a file just does not exist
		_, err = f.replace([]byte("{}"))
	}
	assert.ErrorContains(t, err, folder)
}
