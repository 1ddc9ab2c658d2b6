package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// AuditLoss configures what a guard does while the audit sink takes no events,
// and after events were lost. A zero field means its default.
type AuditLoss struct {
	// RefuseFrom is the risk level from which calls need the audit log. While
	// the sink takes no events, these calls answer unavailable and do not run.
	// Calls below the level run, and their events may be lost. Default:
	// [risk.Medium], so reads go on. [risk.Low] also refuses reads. [risk.High]
	// lets calls up to medium run. Any other level is an error, because a call
	// from high up never runs without its intent in the audit log.
	RefuseFrom risk.Level
	// Report is called with the number of audit events lost since its last
	// call: at once after the first loss, then at most every 10 seconds, and a
	// last time before [Guard.Close] returns. It runs on its own goroutine, one
	// call at a time. A panic is contained. Default: only the logger of
	// [WithLogger] reports lost events.
	Report func(lost int)
}

// WithAudit sets where audit events go, and what happens if they cannot. At
// most one AuditLoss is allowed. Default: audit.Slog(slog.Default()). A nil
// sink is an error, and so is a second WithAudit, because the first sink would
// stay empty; [audit.Tee] writes to several.
//
// A slow sink makes calls wait: an event waits for a place in the queue, at
// most 10 seconds. If the sink fails, takes longer than 2 seconds for an event,
// or is too slow, events may be lost. Lost events are reported to the logger of
// [WithLogger], to [AuditLoss.Report], and by [Guard.Close].
func WithAudit(sink audit.Sink, loss ...AuditLoss) Option {
	return optionFunc(func(c *config) error {
		switch {
		case sink == nil:
			return errors.New("guard: WithAudit: the sink is nil; pass one, or leave the option out to log events")
		case c.sink != nil:
			return exchange.ErrTwoSinks
		case len(loss) > 1:
			return errors.New("guard: WithAudit: more than one AuditLoss; put their fields into one")
		}
		c.sink = sink
		for _, l := range loss {
			if err := c.audit.set(l); err != nil {
				return err
			}
		}
		return nil
	})
}

// set copies the fields of l that are not zero.
func (a *AuditLoss) set(l AuditLoss) error {
	switch l.RefuseFrom {
	case 0:
	case risk.Low, risk.Medium, risk.High:
		a.RefuseFrom = l.RefuseFrom
	default:
		return errors.New("guard: WithAudit: RefuseFrom is not risk.Low, risk.Medium or risk.High")
	}
	if l.Report != nil {
		a.Report = l.Report
	}
	return nil
}

// WithLogger sets the logger for what operators need to know and callers must
// not, such as the stack of a handler that panicked, or why calls answered
// unavailable. Repeated panics of one tool at one line, and repeated answers
// for one reason, are logged once in ten seconds, with the number left out.
// Audit events do not go here; see [WithAudit]. Default: slog.Default(), as of
// when a line is written. Nil is an error.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(c *config) error {
		if l == nil {
			return errors.New("guard: WithLogger: the logger is nil; pass one, or leave the option out")
		}
		c.logger = l
		return nil
	})
}

// WithAuditOnly audits clauses of one tool without enforcing them, for the time
// in which a contract is being introduced. A call that breaks such a clause
// goes on, and its audit events name the clause under auditOnly.
//
// Clauses are "permissions", "objectAuthorization", "rateLimit", "dryRun" (if
// it is required), "confirmation" and "stepUp". Any other clause is an error,
// including totalRateLimit, because all other clauses are always enforced.
// [Guard.Protect] returns an error for a clause that the tool does not have,
// for a clause that its security level demands, and for every tool from
// critical up.
//
// A tool whose permissions are only audited is listed to every known caller.
// Name the tool itself, not an alias of it. If the first tools that the guard
// protects do not include the tool, the guard logs a warning with the closest
// name. Default: every clause is enforced.
func WithAuditOnly(tool string, clauses ...string) Option {
	return optionFunc(func(c *config) error {
		known := facts.AuditableClauses()
		if tool == "" || len(clauses) == 0 {
			return fmt.Errorf("guard: WithAuditOnly: name a tool and some of %s", strings.Join(known, ", "))
		}
		for _, clause := range clauses {
			if !slices.Contains(known, clause) {
				return fmt.Errorf("guard: WithAuditOnly: %s: %q cannot be only audited; %s can", tool, clause, strings.Join(known, ", "))
			}
			if c.auditOnly[tool] == nil {
				c.auditOnly[tool] = map[string]bool{}
			}
			c.auditOnly[tool][clause] = true
		}
		return nil
	})
}
