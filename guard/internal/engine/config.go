package engine

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/risk"
)

// A Config sets up an engine. Its functions are those of authors, and the
// engine contains them.
type Config struct {
	Audit

	Access  access.Config
	Retries access.RetryBudget // of tools whose contract declares none
	People  consent.Settings
	// SessionBound is the bound from which a session needs a person for each
	// change. Nil: calls are not counted.
	SessionBound *risk.Chain
	// NamesServer means that other servers may have the keys, and that only the
	// name in a request distinguishes the servers.
	NamesServer bool
	// Drain is how long Close waits for running handlers.
	Drain time.Duration
	// DryRunTTL is how long after a preview the call may follow.
	DryRunTTL time.Duration
	// FailOpen means that calls up to a certain effect run if the store cannot
	// be reached.
	FailOpen bool
	// Observe begins a call. The tool is nil if the name does not exist.
	Observe func(context.Context, *facts.ProtectedTool) (context.Context, func())
	// Label returns the function that adds a tool's label to the _meta of its
	// results. Nil: results get no label.
	Label func(*contract.Document) func(meta map[string]any) map[string]any
}

// Audit sets where events go.
type Audit struct {
	Sink audit.Sink
	// AuditFrom is the risk level from which calls are refused while the sink
	// accepts no events.
	AuditFrom risk.Level
	// AuditLoss is called with the number of lost events. Nil: they are only
	// logged.
	AuditLoss func(lost int)
	// Audited is called with each event, unless it is nil. It contains its own
	// panics.
	Audited func(context.Context, audit.Event)
}
