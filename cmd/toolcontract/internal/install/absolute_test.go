package install_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
)

// A host started from a desktop has a different folder and PATH than a shell.
// On Windows it needs the extension, too.
func TestThreat189_InstallWritesTheAbsolutePathOfACommand(t *testing.T) {
	at := place(t)
	folder := filepath.Join(t.TempDir(), "a folder (x86)")
	require.NoError(t, os.Mkdir(folder, 0o700))
	extension := ""
	if runtime.GOOS == "windows" {
		extension = ".exe"
	}
	for _, path := range []string{filepath.Join(folder, "the desk"), filepath.Join(at.Dir, "near desk")} {
		require.NoError(t, os.WriteFile(path+extension, nil, 0o700)) //nolint:gosec // it has to be executable
	}
	t.Setenv("PATH", folder)
	for name, test := range map[string]struct{ command, scope, want string }{
		"a name of the path":   {"the desk", "user", filepath.Join(folder, "the desk") + extension},
		"a relative path":      {"./near desk", "user", filepath.Join(at.Dir, "near desk") + extension},
		"an absolute path":     {filepath.Join(folder, "the desk"), "user", filepath.Join(folder, "the desk") + extension},
		"an unknown name":      {"none", "user", "none"},
		"a path to no program": {"./none", "user", filepath.Join(at.Dir, "none")},
		"that of a project":    {"the desk", "project", "the desk"}, // another machine has another path
	} {
		s := install.Server{Name: "desk", Command: []string{test.command, "a b"}}
		p, err := install.Install(s, "cursor", test.scope, at)
		require.NoError(t, err, name)
		do(t, p)
		var written struct {
			MCPServers map[string]struct {
				Command string
				Args    []string
			} `json:"mcpServers"`
		}
		text, err := os.ReadFile(p.File)
		require.NoError(t, err, name)
		require.NoError(t, json.Unmarshal(text, &written), name)
		assert.Equal(t, test.want, written.MCPServers["desk"].Command, name)
		assert.Equal(t, []string{"a b"}, written.MCPServers["desk"].Args, name)
		assert.Equal(t, test.want == "none" || test.command == "./none", p.Warning != "", name)
		require.NoError(t, os.Remove(p.File))
	}
}
