// Package engine takes calls through the pipeline of a guard. It does not know
// package guard, which has what users hold: options, principals, toolsets.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// An Engine takes the calls of one guard through the pipeline. [New] makes one.
// It is safe for concurrent use.
type Engine struct {
	callers
	records

	config   Config
	pipeline []Stage // that Protect chooses from
	// namesServer means that other servers may have the keys, and that only the
	// name in a request distinguishes the servers.
	namesServer bool
	digests     *keyring.MAC // of arguments, for the audit log
	recorder    *recorder.Recorder
	lines       *oplog.Log
	authors     contain.Slots // for functions of the server author and of tool authors
	limiting    contain.Slots // for the limiter
	ledger      *ledger.Ledger
	desk        *consent.Desk
	running     *running.Runner
}

// records holds the kinds of records that this package seals itself.
type records struct {
	results    ledger.Record[StoredResult]
	unresolved ledger.Record[[]byte]
	rounds     ledger.Record[handlerRound]
}

// New makes an engine. The error is that of the store's configuration.
func New(c Config) (*Engine, error) {
	g := &Engine{
		config:   c,
		pipeline: Stages(),
		lines:    oplog.New(c.Logger),
	}
	g.running = running.New(g.lines)
	g.recorder = recorder.New(c.Sink, g.lines.Panicked, g.reportLoss, c.Audited)
	g.authors = contain.AuthorSlots(g.lines.Panicked, g.running.Workers())
	g.limiting = contain.AuthorSlots(g.lines.Panicked, g.running.Workers())
	c.Records.Panicked, c.Records.Patient = g.lines.Panicked, c.FailOpen
	digestKey := make([]byte, 32)
	rand.Read(digestKey) // never fails
	g.digests = keyring.NewMAC(digestKey)
	var err error
	if g.ledger, err = ledger.Open(c.Records); err != nil {
		return nil, err
	}
	g.namesServer = c.Records.Keys != nil && c.Records.Namespace == ""
	g.results = ledger.RecordOf[StoredResult](g.ledger, ledger.Results, strictjson.Unmarshal)
	g.rounds = ledger.RecordOf[handlerRound](g.ledger, ledger.Rounds, strictjson.Unmarshal)
	g.unresolved = ledger.RecordOf[[]byte](g.ledger, ledger.Unresolved, strictjson.Unmarshal)
	g.desk = g.newDesk()
	return g, nil
}

// DropStage disables the stages of a name for the tools that are protected from
// now on. Tests show by it that they notice a missing stage.
func (g *Engine) DropStage(name string) {
	g.pipeline = slices.DeleteFunc(g.pipeline, func(s Stage) bool { return s.Name == name })
}

// Ledger returns the ledger, for tests that write records of their own.
func (g *Engine) Ledger() *ledger.Ledger { return g.ledger }

// HasLocalStore reports whether records are in the memory of this process.
func (g *Engine) HasLocalStore() bool { return g.ledger.IsLocal() }

// Lines returns the lines for people who run the server.
func (g *Engine) Lines() *oplog.Log { return g.lines }

// AuditLost returns how many audit events were lost, and AuditQueue how many
// wait for the sink.
func (g *Engine) AuditLost() int { return g.recorder.Lost() }

// AuditQueue returns how many audit events wait for the sink.
func (g *Engine) AuditQueue() int { return g.recorder.Waiting() }

// Handlers returns the number of running handlers.
func (g *Engine) Handlers() int { return g.running.Running() }

// Questions returns the number of questions for which calls wait at this
// moment.
func (g *Engine) Questions() int { return g.desk.Waiting() }

// Close refuses new calls, waits for running handlers, at most as long as the
// drain time and ctx allow, and then for the audit queue until ctx ends. It
// gives up the handlers that still run. detach is called when the last call has
// ended.
func (g *Engine) Close(ctx context.Context, detach func()) error {
	err := g.running.Close(ctx, g.config.Drain)
	err = errors.Join(err, g.recorder.Flush(ctx))
	g.lines.FlushPanics(func(report func()) { g.report(ctx, report) })
	detach()
	g.running.Stop()
	return err
}

// report calls a function that uses the logger, or that the server author gave
// for reports. One that panics or hangs loses only its report.
func (g *Engine) report(ctx context.Context, f func()) {
	_, _ = contain.Author(ctx, g.authors, func(context.Context) (struct{}, error) { f(); return struct{}{}, nil })
}

// BeginDrain starts the drain time, unless it has begun, and returns its end.
func (g *Engine) BeginDrain() time.Time { return g.running.BeginDrain(g.config.Drain) }
