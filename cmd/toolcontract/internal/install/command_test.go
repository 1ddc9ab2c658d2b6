package install_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
)

func command(t *testing.T, args ...string) (status cli.Status, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = cli.Run(t.Context(), []cli.Command{install.Command(), install.Removal()}, args,
		&cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
	return status, out.String(), errs.String()
}

func TestCommand_InstallsAndRemovesAServer(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	file := filepath.Join(home, ".cursor", "mcp.json")

	status, stdout, _ := command(t, "install", "cursor", "-print", "desk", "--", "desk", "-print")
	assert.Equal(t, cli.OK, status)
	assert.Contains(t, stdout, file)
	assert.NoFileExists(t, file)

	status, stdout, stderr := command(t, "install", "cursor", "-env", "DESK_TOKEN", "desk", "--", "desk", "-print")
	assert.Equal(t, cli.OK, status, stderr)
	assert.Contains(t, stdout, file)
	assert.Contains(t, fileText(t, file), `"DESK_TOKEN": "${env:DESK_TOKEN}"`)

	status, stdout, _ = command(t, "uninstall", "-json", "cursor", "desk")
	assert.Equal(t, cli.OK, status)
	var printed struct {
		Host, Name, Scope, File, Backup, ByHand string
		Done                                    bool
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &printed))
	assert.True(t, printed.Done)
	assert.Equal(t, file, printed.File)
	assert.FileExists(t, printed.Backup)
	assert.NotContains(t, fileText(t, file), "desk")
}

func TestCommand_ExitsWith1IfAPersonHasToMakeTheChange(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, args := range [][]string{{"install", "zed", "desk", "--", "desk"}, {"uninstall", "zed", "desk"}} {
		status, stdout, _ := command(t, args...)
		assert.Equal(t, cli.Bad, status)
		assert.Contains(t, stdout, "Zed")
		status, _, _ = command(t, append(args[:2:2], append([]string{"-print"}, args[2:]...)...)...)
		assert.Equal(t, cli.OK, status, "-print asks for no change")
	}
}

func TestCommand_WarnsOfACommandThatDoesNotExist(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(t.TempDir())
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for _, path := range []string{"desk", filepath.Join(bin, "other")} {
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a command
	}
	for program, warns := range map[string]bool{"./nosuch": true, "no-such-desk": true, "./desk": false, "other": false} {
		for _, scope := range []string{"user", "project"} {
			status, _, stderr := command(t, "install", "-print", "-scope", scope, "cursor", "desk", "--", program)
			assert.Equal(t, cli.OK, status, program)
			assert.Equal(t, warns, strings.Contains(stderr, "Warning: "), program+", "+scope)
		}
	}
	status, _, stderr := command(t, "install", "cursor", "desk", "--", "./nosuch")
	assert.Equal(t, cli.OK, status)
	assert.Contains(t, stderr, "does not exist")
	assert.Contains(t, fileText(t, filepath.Join(home, ".cursor", "mcp.json")), "nosuch")
}

func TestCommand_FailsWithoutShowingAValue(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, args := range [][]string{
		{},
		{"install"},
		{"install", "cursor", "desk"},
		{"install", "cursor", "desk", "--"},
		{"install", "cursor", "desk", "s3cret"},
		{"install", "cursor", "desk", "https://a.example", "s3cret"},
		{"install", "cursor", "-env", "=s3cret", "desk", "--", "desk"},
		{"install", "cursor", "-env", "TOKEN=s3cret", "desk", "--", "desk"},
		{"install", "cursor", "-header", "s3cret", "desk", "https://a.example"},
		{"install", "cursor", "-scope", "s3cret", "desk", "--", "desk"},
		{"uninstall", "cursor"},
		{"uninstall", "s3cret", "desk"},
		{"uninstall", "cursor", "desk"},
	} {
		status, stdout, stderr := command(t, args...)
		assert.Equal(t, cli.Failed, status, args)
		assert.Empty(t, stdout, args)
		assert.NotEmpty(t, stderr, args)
		assert.NotContains(t, stderr, "s3cret", args)
	}
	entries, err := os.ReadDir(home)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
