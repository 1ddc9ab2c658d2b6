package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// each calls a function with every command that is no group, and with the words
// that a person types before its arguments.
func each(commands []cli.Command, path []string, see func(c cli.Command, path []string)) {
	for _, c := range commands {
		at := slices.Concat(path, []string{c.Name})
		if c.Commands != nil {
			each(c.Commands, at, see)
		} else {
			see(c, at)
		}
	}
}

func TestHelp_HasPurposeUsageFlagsAndAnExample(t *testing.T) {
	t.Parallel()
	each(commands(), nil, func(c cli.Command, path []string) {
		status, stdout, stderr := runCommand(t, append(path, "-h")...)
		assert.Equal(t, cli.OK, status, path)
		assert.Empty(t, stderr, path)
		typed := strings.Join(path, " ")
		assert.True(t, strings.HasPrefix(stdout, "usage: toolcontract "+typed), stdout)
		assert.Contains(t, strings.ToLower(strings.Join(strings.Fields(stdout), " ")), strings.ToLower(c.Purpose))
		assert.Contains(t, stdout, "\nexample:\n  toolcontract "+typed)
		assert.Equal(t, c.JSON, strings.Contains(stdout, "  -json\n"), stdout)
		for line := range strings.Lines(stdout) {
			assert.LessOrEqual(t, len([]rune(line)), 101, line)
		}
	})
	for _, args := range [][]string{{"-h"}, {"help"}} {
		status, stdout, _ := runCommand(t, args...)
		assert.Equal(t, cli.OK, status)
		for _, c := range commands() {
			assert.Contains(t, stdout, "\n  "+c.Name+" ")
		}
	}
}

var update = flag.Bool("update", false, "write testdata/commands.txt again")

// The page docs/command.md has this file, so it has what -h prints.
func TestHelp_IsThatOfThePage(t *testing.T) {
	t.Parallel()
	const path = "testdata/commands.txt"
	var text strings.Builder
	each(commands(), nil, func(c cli.Command, path []string) {
		_, stdout, _ := runCommand(t, append(path, "-h")...)
		usage, _, _ := strings.Cut(stdout, "\n")
		fmt.Fprintf(&text, "%s\n    %s\n    %s\n", strings.TrimPrefix(usage, "usage: "), c.Purpose, "toolcontract "+c.Example)
	})
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
	recorded, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text.String(), string(recorded), "run this test with -update, and the tests of docs too")
}

func TestRun_PrintsTheErrorLastWithoutTheValue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		last string
	}{
		"an unknown command": {[]string{"audit"}, "toolcontract: there is no such command; run toolcontract -h"},
		"an unknown flag": {[]string{"check", "-jsno"},
			"toolcontract check: flag provided but not defined: -jsno; run toolcontract check -h"},
		"a wrong value": {[]string{"inspect", "-header", "Bearer secret"},
			"toolcontract inspect: invalid value for flag -header: the header is not of the form NAME: VALUE; " +
				"run toolcontract inspect -h"},
		"a wrong number": {[]string{"inspect", "-timeout", "secret"},
			"toolcontract inspect: invalid value for flag -timeout: parse error; run toolcontract inspect -h"},
		"a wrong switch": {[]string{"check", "-json=secret"},
			"toolcontract check: invalid boolean value for flag -json: parse error; run toolcontract check -h"},
		"a missing argument": {[]string{"diff", "old"}, "toolcontract diff: two snapshots are required; run toolcontract diff -h"},
	} {
		status, stdout, stderr := runCommand(t, test.args...)
		assert.Equal(t, cli.Failed, status, name)
		assert.Empty(t, stdout, name)
		lines := strings.Split(strings.TrimSpace(stderr), "\n")
		assert.Len(t, lines, 2, name)
		assert.True(t, strings.HasPrefix(lines[0], "usage: toolcontract "), lines[0])
		assert.Equal(t, test.last, lines[len(lines)-1], name)
	}
}

func TestVersion_NamesTheBuild(t *testing.T) {
	t.Parallel()
	var found struct{ Version, Go string }
	assert.Equal(t, cli.OK, runJSON(t, &found, "version"))
	assert.NotEmpty(t, found.Version)
	assert.True(t, strings.HasPrefix(found.Go, "go"), found.Go)
	_, stdout, _ := runCommand(t, "version")
	assert.True(t, strings.HasPrefix(stdout, "toolcontract "+found.Version), stdout)
}

func TestCompletion_OffersCommandsAndFlags(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ words, want []string }{
		"commands":         {[]string{"ver"}, []string{"verify-audit", "version"}},
		"flags":            {[]string{"inspect", "-"}, []string{"-header", "-json", "-logs", "-timeout"}},
		"a begun flag":     {[]string{"inspect", "http://127.0.0.1", "-h"}, []string{"-header"}},
		"shells":           {[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
		"files":            {[]string{"check", ""}, nil},
		"another command":  {[]string{"inspect", "--", "ver"}, nil},
		"an unknown group": {[]string{"audit", ""}, nil},
	} {
		status, stdout, stderr := runCommand(t, append([]string{"completion", "--"}, test.words...)...)
		require.Equal(t, cli.OK, status, stderr)
		var words []string
		for line := range strings.Lines(stdout) {
			word, _, _ := strings.Cut(line, "\t")
			words = append(words, word)
		}
		assert.Equal(t, test.want, words, name)
	}
}

func TestCompletion_CompletesInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	_, script, _ := runCommand(t, "completion", "bash")
	// The function stands in for the binary on the path.
	test := script + `
toolcontract() { printf 'inspect\tone\ninstall\ttwo words\n'; }
COMP_WORDS=(toolcontract ins) COMP_CWORD=1
_toolcontract
printf '%s|' "${COMPREPLY[@]}"`
	run := exec.CommandContext(t.Context(), bash)
	run.Stdin = strings.NewReader(test)
	out, err := run.CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "inspect|install|", string(out))
}

func TestCompletion_CompletesInZsh(t *testing.T) {
	t.Parallel()
	zsh, err := exec.LookPath("zsh")
	if err != nil {
		t.Skip("there is no zsh")
	}
	_, script, _ := runCommand(t, "completion", "zsh")
	// The functions stand in for the binary, and for those of zsh. _describe
	// takes the name of a list.
	test := `compdef() {}
_describe() { print -r -- "${(j:|:)${(@P)2}}" }
_files() { print files }
toolcontract() { [[ $3 = ins ]] && printf 'inspect\tone: the first\ninstall\ttwo words\nbash\t\n' }
` + script + `
words=(toolcontract ins) CURRENT=2; _toolcontract
words=(toolcontract check '') CURRENT=3; _toolcontract`
	run := exec.CommandContext(t.Context(), zsh, "-f")
	run.Stdin = strings.NewReader(test)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "inspect:one: the first|install:two words|bash\nfiles\n", string(out))
}

func TestCompletion_CompletesInFish(t *testing.T) {
	t.Parallel()
	fish, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("there is no fish")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "snapshot.json"), nil, 0o600))
	_, script, _ := runCommand(t, "completion", "fish")
	test := script + `
function toolcontract; if test "$argv[-1]" = sn -a (count $argv) = 3; printf 'snap\tone\nsnip\ttwo words\n'; end; end
complete -C 'toolcontract sn'
complete -C 'toolcontract check sn'`
	run := exec.CommandContext(t.Context(), fish, "-N")
	run.Stdin = strings.NewReader(test)
	run.Dir = dir
	run.Env = append(os.Environ(), "HOME="+dir)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "snap\tone\nsnip\ttwo words\nsnapshot.json\n", string(out), "files only if nothing else is found")
}

func TestCompletion_ScriptsAreOfTheirShells(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		status, script, _ := runCommand(t, "completion", shell)
		require.Equal(t, cli.OK, status)
		assert.NotEmpty(t, script)
		path, err := exec.LookPath(shell)
		if err != nil {
			continue // the test of the other shells goes on
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(script)
		out, err := check.CombinedOutput()
		assert.NoError(t, err, "%s: %s", shell, out)
	}
}
