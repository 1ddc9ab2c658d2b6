//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// A server runs as long as the command that started it, also if the command
// gives up before the server has answered anything.
func TestThreat188_AServerThatNeverAnswersEndsWithItsCommand(t *testing.T) {
	t.Parallel()
	for _, line := range [][]string{
		{"list", "-timeout", "1s"}, {"call", "-timeout", "1s", "notes_read"}, {"inspect", "-timeout", "1s"}, {"lint", "-timeout", "1s"},
		{"list"}, {"call", "notes_read"}, // which somebody interrupts
	} {
		t.Run(strings.Join(line, " "), func(t *testing.T) {
			t.Parallel()
			note := filepath.Join(t.TempDir(), "pid")
			server := `trap "" TERM INT HUP; echo $$ >"$0"; while :; do sleep 1; done`
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			pid := make(chan int, 1)
			go func() {
				defer close(pid)
				for ctx.Err() == nil {
					text, _ := os.ReadFile(note)
					if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
						pid <- id
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				if len(line) < 3 {
					interrupt()
				}
			}()
			var out, errs bytes.Buffer
			status := cli.Run(ctx, commands(), append(line, "--", "sh", "-c", server, note),
				&cli.Terminal{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs})
			assert.NotEqual(t, cli.OK, status)
			id, started := <-pid
			require.True(t, started, errs.String())
			assert.ErrorIs(t, syscall.Kill(id, 0), syscall.ESRCH, "the server survives")
			_ = syscall.Kill(-id, syscall.SIGKILL)
		})
	}
}
