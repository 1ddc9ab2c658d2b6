package engine

import (
	"context"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
)

// lossMessage is the message of the logger for lost events.
const lossMessage = "toolcontract: audit events were lost"

// requireAudit refuses a call whose risk level needs the audit log while the
// sink accepts no events. The event of the refusal, and those of calls that go
// on, show when the sink accepts events again.
func requireAudit(u understood) *answer.Answer {
	if !u.doc.Risk.AtLeast(u.engine.config.AuditFrom) {
		return nil
	}
	if err := u.engine.recorder.Err(); err != nil {
		return answer.Refuse(answer.Unavailable(auditUnavailable).Because(err).OrReplay())
	}
	return nil
}

// reportLoss reports lost audit events to the people who run the server. A
// logger or a function that panics or hangs loses only its report.
func (g *Engine) reportLoss(loss recorder.Loss) {
	message := lossMessage
	if loss.Lost == 0 {
		message = "toolcontract: the audit sink hangs"
	}
	g.report(context.Background(), func() {
		g.lines.Logger().LogAttrs(context.Background(), slog.LevelError, message,
			slog.Int("lost", loss.Lost), slog.Int("total", loss.Total), slog.String("error", oplog.Text(nil, nil, loss.Cause)),
			slog.String("refusedFrom", g.config.AuditFrom.String()))
	})
	if f := g.config.AuditLoss; f != nil && loss.Lost > 0 {
		g.report(context.Background(), func() { f(loss.Lost) })
	}
}
