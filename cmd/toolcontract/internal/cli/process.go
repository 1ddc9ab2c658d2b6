package cli

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// Process returns a process that is interrupted when the context ends, so that
// it can clean up, and killed if it does not end then.
func Process(ctx context.Context, path string, args ...string) *exec.Cmd {
	p := exec.CommandContext(ctx, path, args...)
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.WaitDelay = 5 * time.Second // Windows cannot interrupt
	return p
}
