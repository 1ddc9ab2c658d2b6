package filesystem_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/filesystem"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/mcpgo"
)

// start returns a client of a server for one folder, which has a file.
func start(t *testing.T, permissions ...string) (c *drive.Client, log *drive.Log, folder string) {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("first"), 0o600))
	g, log := drive.Guard(t, permissions...)
	s, _, err := filesystem.New(g, folder)
	require.NoError(t, err)
	return drive.Connect(t, s), log, folder
}

func TestTools_AreDeclaredWithoutGuesses(t *testing.T) {
	g, _ := drive.Guard(t)
	s, report, err := filesystem.New(g, t.TempDir())
	require.NoError(t, err)
	assert.Len(t, report.Tools, 14)
	for _, tool := range report.Tools {
		assert.Empty(t, tool.Guesses, tool.Name)
		assert.NoError(t, tool.Err, tool.Name)
	}
	contracttest.Check(t, mcpgo.ToolsOf(s)...)
}

func TestList_HasTheToolsThatTheCallerMayUse(t *testing.T) {
	c, _, _ := start(t, "files:read")
	tools := c.Tools()
	assert.Len(t, tools, 8)
	assert.True(t, *tools["read_file"].Annotations.ReadOnlyHint)
	assert.NotContains(t, tools, "delete_file")
}

func TestRead_ReturnsDelimitedData(t *testing.T) {
	c, log, folder := start(t, "files:read")
	text, outcome := c.Call("read_file", map[string]any{"path": filepath.Join(folder, "a.txt")})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "first")
	assert.NotEqual(t, "first", text)
	ends := log.Events(audit.Terminal)
	require.Len(t, ends, 1)
	assert.Equal(t, "read_file", ends[0].Tool)
	assert.Equal(t, "alice", ends[0].Principal)
}

func TestCall_WithBadArgumentsIsRefused(t *testing.T) {
	c, _, _ := start(t, "files:read")
	_, outcome := c.Call("read_file", map[string]any{"path": 7})
	assert.Equal(t, contract.CodeInvalidInput, outcome.Code)
}

func TestRead_OutsideOfTheFolderFails(t *testing.T) {
	c, _, _ := start(t, "files:read")
	_, outcome := c.Call("read_file", map[string]any{"path": "/etc/hostname"})
	assert.Equal(t, contract.StatusError, outcome.Status)
	assert.Equal(t, contract.ClassFatal, outcome.Class)
}

func TestDelete_AsksAPersonFirst(t *testing.T) {
	c, log, folder := start(t, "files:write", "files:delete")
	file := filepath.Join(folder, "a.txt")
	c.Decline()
	_, outcome := c.Call("delete_file", map[string]any{"path": file})
	assert.Equal(t, contract.CodeConfirmationDeclined, outcome.Code)
	assert.FileExists(t, file)
	assert.Equal(t, 1, c.Asked())
	assert.NotEmpty(t, log.Events(audit.Asked))
}

func TestWrite_RunsOnceForOneKey(t *testing.T) {
	c, _, folder := start(t, "files:write")
	file := filepath.Join(folder, "b.txt")
	arguments := map[string]any{"path": file, "content": "new"}
	_, outcome := c.CallKeyed("key-1", "write_file", arguments)
	require.Equal(t, contract.StatusOK, outcome.Status)
	require.NoError(t, os.Remove(file))
	_, outcome = c.CallKeyed("key-1", "write_file", arguments)
	assert.Equal(t, contract.StatusReplayed, outcome.Status)
	assert.NoFileExists(t, file)
	assert.Equal(t, 1, c.Asked())
}
