package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/access"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// An Option configures a [Guard].
type Option interface{ apply(*config) error }

type optionFunc func(*config) error

func (f optionFunc) apply(c *config) error { return f(c) }

// A config is what the options of a guard set. Only [New] reads it.
type config struct {
	settings

	sink    audit.Sink // nil until an option sets it
	records ledger.Config
}

// A settings value is the part of a config that calls read. It does not change
// after [New].
type settings struct {
	limits

	principal  PrincipalSource                     // nil: every caller is anonymous
	authorizer func(context.Context, Action) error // nil: permissions alone decide
	logger     *slog.Logger                        // nil: slog.Default() at each line
	observer   Observer                            // nil: none
	audit      AuditLoss
	times      Times
	failOpen   bool // for the store, as [WithStoreFailOpen] explains
	people     PeopleOptions
	auditOnly  map[string]map[string]bool // by tool, the clauses that are only audited
	trifecta   bool                       // see [WithTrifectaConfirmation]
	ifcLabels  bool                       // see [WithIFCLabels]
	operations *contract.Tool             // of [WithOperations]; nil: none
}

// limits bound what callers may do.
type limits struct {
	retries access.RetryBudget
	limiter store.Limiter
	rate    access.CallRate
	session *risk.Chain // of [WithSessionBound]; nil: calls are not summed up
}

// The limits that apply if no option and no contract sets them.
const (
	defaultRetries     = 5
	defaultRetryWindow = 10 * time.Minute
	// defaultRateCalls and defaultRateTime are how often one principal may call
	// one tool.
	defaultRateCalls = 600
	defaultRateTime  = time.Minute
)

// newConfig returns the defaults, changed by the options. The error joins those
// of all options.
func newConfig(opts []Option) (config, error) {
	c := config{
		settings: settings{
			audit: AuditLoss{RefuseFrom: risk.Medium},
			times: defaultTimes(),
			limits: limits{
				retries: access.RetryBudget{Failures: defaultRetries, Window: defaultRetryWindow},
				rate:    access.CallRate{Calls: defaultRateCalls, Per: defaultRateTime},
			},
			auditOnly: map[string]map[string]bool{},
		},
	}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("guard: option %d is nil; leave it out", i))
			continue
		}
		errs = append(errs, o.apply(&c))
	}
	if c.sink == nil {
		c.sink = audit.Slog(slog.Default())
	}
	c.records.Timeout = c.times.StoreTimeout
	c.records.Lease = c.times.Lease
	if c.limiter == nil {
		own, err := store.NewMemoryLimiter()
		c.limiter = own
		errs = append(errs, err)
	}
	return c, errors.Join(errs...)
}

// WithPrincipal sets the source of a call's principal. Without it every caller
// is anonymous, and tools that need a principal cannot be protected. Nil is an
// error.
func WithPrincipal(s PrincipalSource) Option {
	return optionFunc(func(c *config) error {
		if f, isFunc := s.(PrincipalFunc); s == nil || isFunc && f == nil {
			return errors.New("guard: WithPrincipal: the source is nil; pass one, such as mcpgo.Bearer(verify) or mcpgo.LocalUser()")
		}
		c.principal = s
		return nil
	})
}

// WithAuthorizer sets the policy that decides, for all tools, whether a
// principal may make a call. It is asked after the permissions are checked. A
// tool's own function (contract.Builder.Authorize) must allow the call too.
//
// A nil error allows the call. Any other error denies it, and its text goes
// only to the audit log. An error that wraps [ErrUnavailable] answers
// unavailable instead. A panic, or no answer within 10 seconds, denies the
// call. The function is called concurrently. Default: no policy. Nil is an
// error.
func WithAuthorizer(a func(context.Context, Action) error) Option {
	return optionFunc(func(c *config) error {
		if a == nil {
			return errors.New("guard: WithAuthorizer: the authorizer is nil; pass one, or leave the option out")
		}
		c.authorizer = a
		return nil
	})
}

// WithTrifectaConfirmation refuses tools that together can leak private data
// without asking a person: if some tools of a [Toolset] read untrusted data,
// some read private data and some send data out, every tool that sends must ask
// a person about every call. [Guard.Protect] returns an error for each tool
// that does not. Otherwise a stranger's text, returned by the first tool, could
// make a model read private data with the second and send it with the third.
//
// Only what contracts declare counts: the clauses reads and sends, and what
// follows from contentTrust, effect and sideEffects. The guard does not see
// which data flows through the model, what other servers' and the host's tools
// do, or private data that a person puts into the conversation.
//
// A confirmation does not count if it is only audited, or if the contract can
// waive it for some arguments (contract.Builder.Resolve). Default: the
// combination is not checked; contracttest.Check warns about it.
func WithTrifectaConfirmation() Option {
	return optionFunc(func(c *config) error {
		c.trifecta = true
		return nil
	})
}

// WithIFCLabels adds a label for information flow control to every result: the
// member "ifc" of _meta, such as
// {"integrity":"untrusted","confidentiality":"private"}. Some servers write
// these labels and some hosts read them; the protocol does not define them.
//
// Integrity is "trusted" only if the results of the tool contain no untrusted
// data. Confidentiality is "public" only if the contract declares
// [contract.PublicData]. A label set by the handler wins if it is stricter.
// Default: the guard adds no label.
func WithIFCLabels() Option {
	return optionFunc(func(c *config) error {
		c.ifcLabels = true
		return nil
	})
}

// Times are a guard's timeouts and lifetimes; [WithTimes] sets them. A zero
// field means its default. A negative field is an error, except Drain.
type Times struct {
	// QuestionTimeout bounds how long a person may take to answer a question
	// that is asked within the call. No answer counts as a decline. For older
	// clients, it also bounds how long a call waits for a step-up or for a
	// decision on the approver's page; see [PeopleOptions]. Default: 2 minutes.
	QuestionTimeout time.Duration
	// QuestionTTL is how long a question can be answered if the client carries
	// the answer in another call, or if the approver asks. Default: 10 minutes.
	QuestionTTL time.Duration
	// DeclineMemory is how long a declined question is remembered, however it
	// was asked. Until then the same call is refused without a question. After
	// three declined calls of a tool, so is every call of the tool that needs a
	// question. DeclineMemory does not depend on QuestionTTL. Nothing is
	// remembered for anonymous callers. Default: 10 minutes.
	DeclineMemory time.Duration
	// DryRunTTL is how long after a preview the call may follow, if its
	// contract requires a dry run. Default: 10 minutes.
	DryRunTTL time.Duration
	// StoreTimeout bounds every operation of the store. While the store does
	// not answer, the first call waits that long, and so does one call every
	// ten seconds after it. All other calls that need the store are refused at
	// once until it answers again. With [WithStoreFailOpen] every call waits,
	// because it must not run again if the store has recorded it. Default: 2
	// seconds.
	StoreTimeout time.Duration
	// Lease is how long a managed call that no longer renews its claim counts
	// as running. A running call renews its claim in time. After a crash,
	// retries of the call answer idempotency_key_in_progress for this long. A
	// lease is at least three times StoreTimeout, because one renewal may be
	// lost; a shorter lease is an error. Default: 30 seconds.
	Lease time.Duration
	// Drain is how long [Guard.Close] waits for running handlers before it
	// gives up on them. If it is negative, Close does not wait. Default: 10
	// seconds.
	Drain time.Duration
}

// The defaults of [Times].
const (
	defaultQuestionTimeout = 2 * time.Minute
	defaultQuestionTTL     = 10 * time.Minute
	defaultDeclineMemory   = 10 * time.Minute
	defaultDryRunTTL       = 10 * time.Minute
	defaultStoreTimeout    = 2 * time.Second
	defaultLease           = 30 * time.Second
	defaultDrain           = 10 * time.Second
)

func defaultTimes() Times {
	return Times{
		QuestionTimeout: defaultQuestionTimeout, QuestionTTL: defaultQuestionTTL, DeclineMemory: defaultDeclineMemory,
		DryRunTTL: defaultDryRunTTL, StoreTimeout: defaultStoreTimeout, Lease: defaultLease, Drain: defaultDrain,
	}
}

// WithTimes sets the guard's times to the fields of t that are not zero.
func WithTimes(t Times) Option {
	return optionFunc(func(c *config) error {
		var errs []error
		set := func(field string, to *time.Duration, d time.Duration) {
			switch {
			case d < 0:
				errs = append(errs, fmt.Errorf("guard: WithTimes: %s is negative; leave it out for its default", field))
			case d > 0:
				*to = d
			}
		}
		set("QuestionTimeout", &c.times.QuestionTimeout, t.QuestionTimeout)
		set("QuestionTTL", &c.times.QuestionTTL, t.QuestionTTL)
		set("DeclineMemory", &c.times.DeclineMemory, t.DeclineMemory)
		set("DryRunTTL", &c.times.DryRunTTL, t.DryRunTTL)
		set("StoreTimeout", &c.times.StoreTimeout, t.StoreTimeout)
		set("Lease", &c.times.Lease, t.Lease)
		switch {
		case t.Drain < 0:
			c.times.Drain = 0
		case t.Drain > 0:
			c.times.Drain = t.Drain
		}
		return errors.Join(errs...)
	})
}
