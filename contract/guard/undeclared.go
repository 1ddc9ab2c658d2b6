package guard

import (
	"context"
	"log/slog"
	"sync"

	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/trust"
)

const (
	// maxUndeclared bounds how many undeclared failures are remembered. Beyond
	// it, no further failure is logged.
	maxUndeclared = 1024
	// maxCode bounds the code of a failure in the log, in bytes.
	maxCode = 128
)

// An undeclaredFailures remembers which failures were logged. The zero value is
// empty and ready to use.
type undeclaredFailures struct {
	mu     sync.Mutex
	logged map[[2]string]bool // by tool and code
}

// isFirst reports whether a failure was not logged before, and remembers it.
func (u *undeclaredFailures) isFirst(tool, code string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if key := [2]string{tool, code}; !u.logged[key] && len(u.logged) < maxUndeclared {
		if u.logged == nil {
			u.logged = map[[2]string]bool{}
		}
		u.logged[key] = true
		return true
	}
	return false
}

// logUndeclared logs, once for each tool and code, that a handler returned a
// failure that its contract does not declare. The caller got internal_error.
func (g *Guard) logUndeclared(ctx context.Context, tool, code string) {
	code, _ = trust.Sanitize(text.Cut(code, maxCode))
	if !g.undeclared.isFirst(tool, code) {
		return
	}
	g.log().LogAttrs(ctx, slog.LevelWarn, "toolcontract: a handler returned a failure that its contract does not declare",
		slog.String("tool", tool), slog.String("code", code),
		slog.String("remedy", "declare the failure with Failures, or all others with OtherErrors"))
}
