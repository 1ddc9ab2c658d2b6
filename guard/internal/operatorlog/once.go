package operatorlog

import "sync"

// maxLoggedOnce bounds how many faults are remembered. Beyond it, no further
// fault is logged.
const maxLoggedOnce = 1024

// A loggedOnce remembers which faults of tools were logged. The zero value is
// empty and ready to use.
type loggedOnce struct {
	mu     sync.Mutex
	logged map[[2]string]bool // by tool and fault
}

// isFirst reports whether a fault has not been logged yet, and remembers it.
func (l *loggedOnce) isFirst(tool, fault string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if key := [2]string{tool, fault}; !l.logged[key] && len(l.logged) < maxLoggedOnce {
		if l.logged == nil {
			l.logged = map[[2]string]bool{}
		}
		l.logged[key] = true
		return true
	}
	return false
}
