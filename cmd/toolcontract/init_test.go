package main

import (
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// goIn runs a go command in a folder.
func goIn(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "go %s:\n%s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}

// workspace makes a workspace of a new module and the modules of this
// repository, and returns the environment that selects it. In a module of a
// release there is none, and the go command gets the released modules.
func workspace(t *testing.T, dir string) (env []string, released bool) {
	t.Helper()
	file := goIn(t, ".", nil, "env", "GOWORK")
	if file == "" || file == "off" {
		return []string{"GOWORK=off"}, true
	}
	root := filepath.Dir(file)
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	text := strings.ReplaceAll(string(before), "\t./", "\t"+root+"/")
	text = strings.ReplaceAll(text, "\t.\n", "\t"+root+"\n\t"+dir+"\n")
	text = strings.ReplaceAll(text, "=> .", "=> "+root)
	work := filepath.Join(t.TempDir(), "go.work")
	require.NoError(t, os.WriteFile(work, []byte(text), 0o600))
	sums, err := os.ReadFile(file + ".sum")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(work+".sum", sums, 0o600))
	return []string{"GOWORK=" + work}, false
}

func TestInit_MakesAServerThatPassesItsTestsAndAnswers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short builds no program")
	}
	for _, sdk := range []string{"mcp-go", "official"} {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			testInit(t, sdk)
		})
	}
}

func testInit(t *testing.T, sdk string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "books")
	env, released := workspace(t, dir)
	line := []string{"init", "-sdk", sdk, "-word", "books", "-module", "example.org/library", dir}
	if !released {
		line = append(line, "-bare")
	}
	status, stdout, stderr := runCommand(t, line...)
	require.Equal(t, cli.OK, status, stderr)
	assert.Empty(t, stdout)
	if !released {
		assert.Contains(t, stderr, ":\n\n  go mod tidy\n  make golden\n  make check\n", "the checks need a snapshot")
		goIn(t, dir, append(env, "CONTRACTTEST_UPDATE=1"), "test", ".")
	}
	assert.FileExists(t, filepath.Join(dir, "testdata", "contracts.json"))
	goIn(t, dir, env, "vet", ".")
	for _, name := range []string{"main.go", "tools.go", "tools_test.go"} {
		source, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		formatted, err := format.Source(source)
		require.NoError(t, err, name)
		assert.Equal(t, string(formatted), string(source))
	}
	goIn(t, dir, env, "test", "-count=1", ".")
	binary := filepath.Join(dir, "library")
	goIn(t, dir, env, "build", "-o", binary, ".")

	for tool, want := range map[string]string{
		"books_read": `"text": "The first of the books."`, "books_delete": "confirmation_required",
	} {
		_, stdout, stderr = runCommand(t, "call", tool, "id=a1", "--", binary, "-state", filepath.Join(t.TempDir(), "state.db"))
		assert.Contains(t, stdout+stderr, want)
	}
}

func TestInit_PrintsTheChangeOfAnExistingServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short builds no program")
	}
	for sdk, guarded := range map[string][]string{
		"official": {"addGuardedTool(s, &mcp.Tool{", "addGuardedTool(server, purge, cancel, deleteContract)"},
		"mcp-go":   {"cancel, writeContract)"},
	} {
		t.Run(sdk, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env, _ := workspace(t, dir)
			written := filepath.Join("testdata", "existing", sdk)
			status, change, stderr := runCommand(t, "init", "-existing", written)
			require.Equal(t, cli.OK, status, stderr)
			_, again, _ := runCommand(t, "init", "-existing", written)
			assert.Equal(t, change, again)
			for _, call := range guarded {
				assert.Contains(t, change, call)
			}
			assert.Equal(t, len(guarded), strings.Count(change, "\taddGuardedTool("))
			assert.Equal(t, 1, strings.Count(change, ":= protectTools("))
			assert.Equal(t, 1, strings.Count(change, ":= serveStdio("))

			require.NoError(t, os.CopyFS(filepath.Join(dir, written), os.DirFS(written)))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/orders\n\ngo 1.26.0\n"), 0o600))
			git := exec.CommandContext(t.Context(), "git", "apply")
			git.Dir, git.Stdin = dir, strings.NewReader(change)
			out, err := git.CombinedOutput()
			require.NoError(t, err, "%s", out)
			goIn(t, dir, env, "vet", "./"+filepath.ToSlash(written))
			status, _, _ = runCommand(t, "init", "-existing", filepath.Join(dir, written))
			assert.Equal(t, cli.Failed, status, "it has the change already")
		})
	}
}

func TestInit_ExistingLeavesWhatIsProtected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(
		"package main\n\nfunc main() {\n\ts := mcp.NewServer(nil, nil)\n\tgosdk.Protect(s)\n}\n"), 0o600))
	status, change, stderr := runCommand(t, "init", "-existing", dir)
	require.Equal(t, cli.OK, status, stderr)
	assert.Empty(t, change)
}

func TestInit_ExistingNeedsAServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	status, stdout, _ := runCommand(t, "init", "-existing", dir)
	assert.Equal(t, cli.Failed, status)
	assert.Empty(t, stdout)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {"), 0o600))
	status, _, stderr := runCommand(t, "init", "-existing", dir)
	assert.Equal(t, cli.Failed, status)
	assert.Contains(t, stderr, "main.go")
}

func TestInit_OverwritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "tools.go")
	require.NoError(t, os.WriteFile(path, []byte("package main\n"), 0o600))
	status, _, stderr := runCommand(t, "init", "-word", "books", "-bare", dir)
	assert.Equal(t, cli.Failed, status)
	assert.Contains(t, stderr, "tools.go exists already")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestInit_RefusesWrongWords(t *testing.T) {
	t.Parallel()
	for i, args := range [][]string{
		nil, {"-word", "Books"}, {"-word", "my books"}, {"-word", "9"}, {"-word", "books", "-module", "a b"},
		{"-word", "subscriptions"}, {"-word", "workspace"},
		{"-word", "books", "-sdk", "other"}, {"-word", "books", "-module", "../up"}, {"-word", "books", "-module", "a/../b"},
		{"-word", "books", "a", "b"},
	} {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		status, _, stderr := runCommand(t, append([]string{"init", "-bare", dir}, args...)...)
		assert.Equal(t, cli.Failed, status, args)
		assert.NotEmpty(t, stderr)
		assert.NoDirExists(t, dir)
	}
}

func TestInit_IgnoresTheBinaryThatGoBuildMakes(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"example.org/desk": "/desk\n", "example.org/desk/v2": "/desk\n", "example.org/desk/v1": "/v1\n", "v2": "/v2\n",
	} {
		dir := t.TempDir()
		status, _, stderr := runCommand(t, "init", "-bare", "-word", "books", "-module", module, dir)
		require.Equal(t, cli.OK, status, stderr)
		ignored, err := os.ReadFile(filepath.Join(dir, ".gitignore"))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(ignored), want), "%s: %s", module, ignored)
	}
}

func TestInit_LeavesNothingIfAFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	cases := map[string]func(dir string) error{
		"a file where a folder must be": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".github"), nil, 0o600) },
		"a link to nothing":             func(dir string) error { return os.Symlink("/nonexistent/x", filepath.Join(dir, ".github")) },
	}
	if runtime.GOOS == "windows" { // links need a privilege there
		delete(cases, "a link to nothing")
	}
	for name, spoil := range cases {
		dir := t.TempDir()
		require.NoError(t, spoil(dir))
		status, _, stderr := runCommand(t, "init", "-bare", "-word", "notes", dir)
		assert.Equal(t, cli.Failed, status, name)
		assert.Contains(t, stderr, "nothing was written", name)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, name)
	}
	parent := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(parent, "file"), nil, 0o600))
	status, _, _ := runCommand(t, "init", "-bare", "-word", "notes", filepath.Join(parent, "file", "sub"))
	assert.Equal(t, cli.Failed, status)
}
