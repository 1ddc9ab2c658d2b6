package pages_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/serve/pages"
)

// The program gets the address as its only argument, and neither the protocol's
// input nor its output.
func TestOpenBrowser_StartsTheProgramOfTheDesktop(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	script := "#!/bin/sh\nto=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2)\nprintf '%s\\n' \"$#\" \"$1\" $to > " +
		pipe + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(script), 0o700))
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	const address = "http://127.0.0.1:1234/approvals/question/a?secret=$(id)&x='"
	require.NoError(t, pages.OpenBrowser(address))
	opened, err := os.ReadFile(pipe)
	require.NoError(t, err)
	assert.Equal(t, []string{"1", address, os.DevNull, os.DevNull, os.DevNull}, strings.Fields(string(opened)))
}
