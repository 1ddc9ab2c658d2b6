// Package engine takes calls through the pipeline of a guard. It does not
// import package guard, which has what users see: options, principals,
// toolsets.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/dryruns"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/operatorlog"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/guard/internal/records"
	"github.com/toolcontract/toolcontract/guard/internal/results"
	"github.com/toolcontract/toolcontract/guard/internal/rounds"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/guard/internal/session"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/keyring"
)

// An Engine takes the calls of one guard through the pipeline. [New] makes one.
// It is safe for concurrent use.
type Engine struct {
	services

	config   Config
	stages   []Stage      // that protect chooses from
	digests  *keyring.MAC // of arguments, for the audit log
	recorder *recorder.Recorder
	lines    *operatorlog.Log
	authors  contain.Slots // for functions of the server author and of tool authors
	ledger   *ledger.Ledger
	running  *running.Runner
	sessions *session.Sessions // nil: they are not counted
	callers  running.Callers   // of tools without contracts
}

// services do the work of the stages.
type services struct {
	gate      *access.Gate
	checker   results.Checker
	previewer *dryruns.Previewer
	records   *records.Records
	rounds    *rounds.Rounds
	people    *consent.Service
}

// New makes an engine with a pipeline, such as that of [Stages].
func New(c Config, l *ledger.Ledger, lines *operatorlog.Log, pipeline []Stage) *Engine {
	g := &Engine{config: c, stages: pipeline, lines: lines, ledger: l, running: running.New(lines)}
	g.recorder = recorder.New(c.Sink, lines.LogPanic, g.reportLoss, c.Audited)
	g.authors = contain.AuthorSlots(lines.LogPanic)
	digestKey := make([]byte, 32)
	rand.Read(digestKey) // never fails
	g.digests = keyring.NewMAC(digestKey)
	if c.SessionBound != nil {
		g.sessions = session.New(*c.SessionBound)
	}
	checker := results.NewChecker(lines)
	g.services = services{
		checker:   checker,
		gate:      access.NewGate(c.Access, l, lines, g.authors, contain.AuthorSlots(lines.LogPanic)),
		previewer: dryruns.New(l, g.running, checker, c.DryRunTTL),
		records:   records.New(l, g.running, g.authors, c.FailOpen),
		rounds:    rounds.New(l, c.People.QuestionTTL),
		people:    g.newConsent(),
	}
	return g
}

// AuditLost returns how many audit events were lost.
func (g *Engine) AuditLost() int { return g.recorder.Lost() }

// AuditQueue returns how many audit events wait for the sink.
func (g *Engine) AuditQueue() int { return g.recorder.Waiting() }

// Handlers returns the number of running handlers.
func (g *Engine) Handlers() int { return g.running.Running() }

// Questions returns the number of questions that calls are waiting on.
func (g *Engine) Questions() int { return g.people.Waiting() }

// Close refuses new calls, waits for running handlers, at most as long as the
// drain time and ctx allow, and then for the audit queue until ctx ends. It
// gives up on the handlers that are still running. It calls detach once the
// last call has ended.
func (g *Engine) Close(ctx context.Context, detach func()) error {
	err := g.running.Close(ctx, g.config.Drain)
	err = errors.Join(err, g.recorder.Flush(ctx))
	g.lines.Flush(func(report func()) { g.report(ctx, report) })
	detach()
	return err
}

// report calls a function that uses the logger, or that the server author gave
// for reports. One that panics or hangs loses only its report.
func (g *Engine) report(ctx context.Context, f func()) {
	_, _ = contain.Author(ctx, g.authors, func(context.Context) (struct{}, error) { f(); return struct{}{}, nil })
}

// BeginDrain starts the drain time, unless it has begun, and returns its end.
func (g *Engine) BeginDrain() time.Time { return g.running.BeginDrain(g.config.Drain) }

func (g *Engine) newConsent() *consent.Service {
	c := consent.Config{
		Settings: g.config.People, Ledger: g.ledger, Recorder: g.recorder,
		GaveUp: g.running.GaveUp(), NoteError: contain.Note, Panicked: g.lines.LogPanic,
	}
	if pending := c.Pending; pending != nil {
		c.Pending = func(ctx context.Context, q people.PendingQuestion) (string, error) {
			return contain.Author(ctx, g.authors, func(ctx context.Context) (string, error) { return pending(ctx, q) })
		}
	}
	if page := c.Page; page != nil {
		c.Page = func(ctx context.Context, r people.StepUpRequest) (string, error) {
			return contain.Author(ctx, g.authors, func(ctx context.Context) (string, error) { return page(ctx, r) })
		}
	}
	return consent.New(c)
}

// lossMessage is the message of the logger for lost events.
const lossMessage = "toolcontract: audit events were lost"

// reportLoss reports lost audit events to the people who run the server. A
// logger or a function that panics or hangs loses only its report.
func (g *Engine) reportLoss(loss recorder.Loss) {
	message := lossMessage
	if loss.Lost == 0 {
		message = "toolcontract: the audit sink hangs"
	}
	g.report(context.Background(), func() {
		g.lines.Logger().LogAttrs(context.Background(), slog.LevelError, message,
			slog.Int("lost", loss.Lost), slog.Int("total", loss.Total), slog.String("error", operatorlog.Text(nil, nil, loss.Cause)),
			slog.String("refusedFrom", g.config.AuditFrom.String()))
	})
	if f := g.config.AuditLoss; f != nil && loss.Lost > 0 {
		g.report(context.Background(), func() { f(loss.Lost) })
	}
}
