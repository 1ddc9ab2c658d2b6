// Package belt has the settings of Protect, the function of packages mcpgo and
// gosdk that contains the calls of all tools of a server without changing what
// clients see. It depends on no SDK, so the same settings work with either.
package belt

import (
	"time"

	"github.com/toolcontract/toolcontract/guard"
)

// Settings are the limits that Protect sets. A zero field means its default. Of
// several Settings, the last one that sets a field counts.
type Settings struct {
	// Guard identifies callers, writes the audit log and has the observer.
	// Close it after the server has ended, so that no event is lost. Pass one to
	// servers that are made for each request, so that their limits go on from one
	// to the next. Default: a guard of its own, whose audit log is slog.Default(),
	// which knows no principals, and which ends with the server.
	Guard *guard.Guard
	// Timeout bounds a call. Once it is over, the caller gets an answer and the
	// handler's context ends; a handler that goes on anyway is on its own. The
	// time in which the client answers a request of the handler does not count.
	// Default: 10 minutes.
	Timeout time.Duration
	// Timeouts sets Timeout for individual tools, by name.
	Timeouts map[string]time.Duration
	// Calls is how often one caller may call one tool in the time Per. Default:
	// the limit of the guard, which is 600 a minute by default.
	Calls int
	Per   time.Duration
	// Concurrent is how many calls of one caller may run at once, of all tools of
	// the servers with this Guard together. Default: 64.
	Concurrent int
	// ArgumentBytes and ResultBytes are the largest arguments and results, in
	// bytes. Default: 4 MiB, and 16 MiB.
	ArgumentBytes, ResultBytes int64

	// Strict is set by [Strict].
	Strict bool
}

// Strict refuses arguments that do not fit the published input schema, and
// results that do not fit the output schema, and drops members of a result's
// _meta that only the protocol may set. Arguments with a duplicate member, or
// with a name that differs from a declared one only in case, do not fit either.
// Default: what does not fit is reported in the audit log, in the outcome and,
// once for each tool, in the guard's log.
func Strict() Settings { return Settings{Strict: true} }
