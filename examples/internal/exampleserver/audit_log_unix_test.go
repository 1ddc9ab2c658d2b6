//go:build unix

package exampleserver_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
)

// A signal ends the file of a server, which goes on in another one.
func TestAuditLog_IsRotatedBySignal(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs") + "/"
	p := exampletest.Start(t, "-audit", folder, "-audit-size", "1000000")
	bob := exampletest.As(t, p.URL, "bob", exampletest.Modern)
	var heads []string
	for range 2 {
		exampletest.Call(t, bob, "jobs_note", `{}`)
		require.Eventually(t, func() bool { return len(records(t, folder)) > len(heads) }, time.Minute, time.Millisecond)
		p.Signal(t, syscall.SIGUSR1)
		line, err := p.Stderr.ReadString('\n')
		require.NoError(t, err)
		heads = append(heads, headOf(t, line))
	}
	exampletest.Call(t, bob, "jobs_note", `{}`)
	heads = append(heads, headOf(t, p.Terminate(t)))
	logs, err := filepath.Glob(folder + "*.jsonl")
	require.NoError(t, err)
	assert.Len(t, logs, 3)
	for _, head := range heads {
		code, stdout, stderr := verify(t, "-verify-audit", folder, "-head", head)
		assert.Equal(t, 0, code, stderr)
		for _, log := range logs {
			assert.Contains(t, stdout, filepath.Base(log)+": 1 record ")
		}
	}
	require.NoError(t, os.Remove(logs[1]))
	code, stdout, stderr := verify(t, "-verify-audit", folder)
	assert.Equal(t, 1, code)
	assert.Contains(t, stdout, filepath.Base(logs[2])+": audit: line 1: records before it are missing")
	assert.Contains(t, stderr, filepath.Base(logs[2]))
}
