package docs_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	quotedFlag = regexp.MustCompile(`"(-[a-z-]+)"`)
	listedFlag = regexp.MustCompile("(?m)^\\| `(-[a-z-]+)")
	addMCP     = regexp.MustCompile(`(?s)\ncode --add-mcp '(.*?)'\n`)
	hostTitle  = regexp.MustCompile(`title: "([^"]+)"`)
)

// The files of hosts pass flags that a server has, and its state.
func TestConnect_FilesPassFlagsOfAServer(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range listedFlag.FindAllStringSubmatch(read(t, "docs/program.md"), -1) {
		known[m[1]] = true
	}
	files, err := filepath.Glob("docs/connect/*")
	require.NoError(t, err)
	for _, file := range files {
		text := read(t, file)
		if strings.HasSuffix(file, ".json") {
			assert.True(t, json.Valid([]byte(text)), file)
		}
		flags := quotedFlag.FindAllStringSubmatch(text, -1)
		for _, m := range flags {
			assert.True(t, known[m[1]], "%s passes %s, which docs/program.md does not have", file, m[1])
		}
		assert.Contains(t, flags, []string{`"-state"`, "-state"}, file)
		assert.Contains(t, read(t, "docs/connect.md"), "<!-- from "+file+" -->")
	}
	assert.Len(t, files, 5)
}

// The commands of hosts add the server that the files have.
func TestConnect_CommandsOfHostsAddTheSameServer(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/connect.md")
	type server struct {
		Name, Type, Command string
		Args                []string
	}
	var file struct {
		MCPServers struct{ Notes server }
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "docs/connect/mcp.json")), &file))
	notes := file.MCPServers.Notes
	command := notes.Command + " " + strings.Join(notes.Args, " ")
	assert.Contains(t, page, "\nclaude mcp add --scope user notes -- "+command+"\n")
	assert.Contains(t, page, "\ncodex mcp add notes -- "+command+"\n")

	m := addMCP.FindStringSubmatch(page)
	require.NotNil(t, m)
	var added server
	require.NoError(t, json.Unmarshal([]byte(m[1]), &added))
	assert.Equal(t, server{"notes", "stdio", notes.Command, notes.Args}, added)
}

// The page has each host of the command install.
func TestConnect_HasEveryHostOfTheCommand(t *testing.T) {
	t.Parallel()
	page := read(t, "docs/connect.md")
	hosts := hostTitle.FindAllStringSubmatch(read(t, "cmd/toolcontract/internal/install/host.go"), -1)
	require.NotEmpty(t, hosts)
	for _, m := range hosts {
		assert.Contains(t, page, m[1])
	}
}
