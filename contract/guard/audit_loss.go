package guard

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
)

// An AuditLossError is returned by [Guard.Close] if audit events were lost,
// because the sink failed, hung or was too slow.
type AuditLossError struct {
	// Lost is the number of lost events since the guard was made.
	Lost int
}

// Error returns the number of lost events.
func (e *AuditLossError) Error() string {
	return fmt.Sprintf("guard: audit events lost: %d; the logger of WithLogger has the reason", e.Lost)
}

// lossMessage is the message of the logger for lost events.
const lossMessage = "toolcontract: audit events were lost"

// requireAudit refuses a call whose risk level needs the audit log while the
// sink accepts no events. The event of the refusal, and those of calls that go
// on, show when the sink accepts events again.
func requireAudit(u understood) *answer {
	if !u.doc.Risk.AtLeast(u.guard.audit.requiredFrom) {
		return nil
	}
	if err := u.guard.recorder.Err(); err != nil {
		return refuse(refusal.Unavailable(auditUnavailable).Because(err).OrReplay())
	}
	return nil
}

// reportLoss reports lost audit events to the people who run the server. A
// logger or a function that panics or hangs loses only its report.
func (g *Guard) reportLoss(loss recorder.Loss) {
	message := lossMessage
	if loss.Lost == 0 {
		message = "toolcontract: the audit sink hangs"
	}
	report := func(f func()) {
		_, _ = contained(context.Background(), g, func(context.Context) (struct{}, error) { f(); return struct{}{}, nil })
	}
	report(func() {
		g.log().LogAttrs(context.Background(), slog.LevelError, message,
			slog.Int("lost", loss.Lost), slog.Int("total", loss.Total), slog.String("error", logText(nil, nil, loss.Cause)),
			slog.String("refusedFrom", g.audit.requiredFrom.String()))
	})
	if f := g.audit.loss; f != nil && loss.Lost > 0 {
		report(func() { f(loss.Lost) })
	}
}

// auditLoss returns the error of Close for lost events, or nil.
func (g *Guard) auditLoss() error {
	if lost := g.recorder.Lost(); lost > 0 {
		return &AuditLossError{lost}
	}
	return nil
}
