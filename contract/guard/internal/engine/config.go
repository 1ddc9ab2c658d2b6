package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/people"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/risk"
)

// A Config sets up an engine. Its functions are those of authors, and the
// engine contains them.
type Config struct {
	Callers
	Limits
	Audit

	People  People
	Records ledger.Config
	Logger  *slog.Logger // nil: slog.Default() at each line
	// Drain is how long Close waits for running handlers.
	Drain time.Duration
	// DryRunTTL is how long after a preview the call may follow.
	DryRunTTL time.Duration
	// FailOpen means that calls up to a certain effect run if the store cannot
	// be reached.
	FailOpen bool
	// Observe begins a call. The tool is nil if the name does not exist.
	Observe func(context.Context, *facts.Tool) (context.Context, func())
	// Label returns the function that adds a tool's label to the _meta of its
	// results. Nil: results get no label.
	Label func(*contract.Document) func(meta map[string]any) map[string]any
}

// Callers are the functions that decide about callers.
type Callers struct {
	// Principal finds the principal of a call. Nil: every caller is anonymous.
	Principal func(context.Context) (contract.Principal, error)
	// Immediate means that Principal answers at once after its first success.
	Immediate bool
	// Authorize decides after the permissions. Nil: permissions alone decide.
	Authorize func(ctx context.Context, by contract.Principal, doc *contract.Document, arguments []byte, dryRun bool) error
}

// Limits bound how often calls may be made and fail.
type Limits struct {
	Retries RetryBudget // of tools whose contract declares none
	Limiter ratelimit.Limiter
	Rate    CallRate // of tools whose contract declares none
}

// A RetryBudget bounds how often a call may fail. Zero failures switch it off.
type RetryBudget struct {
	Failures int
	Window   time.Duration
}

// pause is how long a read whose budget is used up is refused after a failure.
// It is positive, because the store requires that.
func (b RetryBudget) pause() time.Duration { return max(b.Window/time.Duration(b.Failures), 1) }

// A CallRate is a number of calls in a time.
type CallRate struct {
	Calls int
	Per   time.Duration
}

// Audit sets where events go.
type Audit struct {
	Sink audit.Sink
	// AuditFrom is the risk level from which calls are refused while the sink
	// accepts no events.
	AuditFrom risk.Level
	// AuditLoss gets the number of lost events. Nil: it is only logged.
	AuditLoss func(lost int)
	// Audited gets each event. Nil: nothing does. It contains its own panics.
	Audited func(context.Context, audit.Event)
}

// People is how people are asked.
type People struct {
	// Pending passes a question to the approver. Nil: there is no approver.
	Pending func(context.Context, people.PendingQuestion) (address string, err error)
	// ApproverFrom is the risk level from which only the approver's answers
	// count. Undeclared: no level.
	ApproverFrom risk.Level
	// Decides narrows which persons may decide. Nil: every person of the tenant
	// may.
	Decides func(ctx context.Context, by contract.Principal, q people.PendingQuestion) error
	// Page returns the address at which a person authenticates. Nil: there is
	// none.
	Page func(context.Context, people.StepUpRequest) (address string, err error)

	QuestionTimeout, QuestionTTL, DeclineMemory time.Duration
}
