package filesystem_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-filesystem-server/filesystemserver"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adoption/internal/drive"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/mcpgo"
)

func upstream(t *testing.T, folder string) *server.MCPServer {
	t.Helper()
	s, err := filesystemserver.NewFilesystemServer([]string{folder})
	require.NoError(t, err)
	return s
}

// One line changes neither the list nor what a client reads.
func TestProtect_ChangesNothingButTheOutcome(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("first"), 0o600))
	bare, protected := upstream(t, folder), upstream(t, folder)
	g, log := drive.Guard(t)
	report, err := mcpgo.Protect(protected, belt.Settings{Guard: g})
	require.NoError(t, err)
	assert.Len(t, report.Tools, 14)
	serve := func(s *server.MCPServer) *server.StreamableHTTPServer {
		return server.NewStreamableHTTPServer(s, server.WithStateLess(true))
	}
	path := func(name string) string { return `{"path":"` + filepath.Join(folder, name) + `"}` }
	calls := []drive.RawCall{
		{Tool: "read_file", Arguments: path("a.txt")},
		{Tool: "read_file", Arguments: path("none.txt"), Code: contract.CodeToolFatal},
		{Tool: "read_file", Arguments: `{"path":"/etc/hostname"}`, Code: contract.CodeToolFatal},
		{Tool: "read_file", Arguments: `{"path":7}`, Code: contract.CodeInternalError, Masked: true},
		{Tool: "read_file", Arguments: `{}`, Code: contract.CodeInternalError, Masked: true},
		{Tool: "list_directory", Arguments: path("")},
		{Tool: "get_file_info", Arguments: path("a.txt")},
		{Tool: "tree", Arguments: path("")},
		{Tool: "list_allowed_directories", Arguments: `{}`},
		{Tool: "search_files", Arguments: `{"path":"` + folder + `","pattern":"*.txt"}`},
		{Tool: "write_file", Arguments: `{"path":"` + filepath.Join(folder, "b.txt") + `","content":"second"}`},
	}
	drive.Compare(t, serve(bare), serve(protected), calls...)
	assert.Len(t, log.Events(audit.Terminal), len(calls))
}
