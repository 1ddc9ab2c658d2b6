package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/risk"
)

// The times and bounds that apply if no option sets them.
const (
	// DefaultDrain is how long Close waits for running handlers.
	DefaultDrain = 10 * time.Second
	// DefaultStoreTimeout bounds one operation of the store.
	DefaultStoreTimeout = 2 * time.Second
	// DefaultLease is how long a managed call that no longer renews its claim
	// counts as running.
	DefaultLease = 30 * time.Second
	// DefaultRetries and DefaultRetryWindow are the retry budget.
	DefaultRetries     = 5
	DefaultRetryWindow = 10 * time.Minute
	// DefaultRateCalls and DefaultRateTime are how often one principal may call
	// one tool whose contract declares no limit.
	DefaultRateCalls = 600
	DefaultRateTime  = time.Minute
	// DefaultDryRunTTL is how long after a preview the call may follow.
	DefaultDryRunTTL = 10 * time.Minute
	// DefaultQuestionTimeout is how long a person may take to answer a question
	// that is asked within the call.
	DefaultQuestionTimeout = 2 * time.Minute
	// DefaultDeclineMemory is how long a declined question is remembered.
	DefaultDeclineMemory = 10 * time.Minute
	// DefaultQuestionTTL is how long a question can be answered if the client
	// carries the answer in another call, or if the approver asks.
	DefaultQuestionTTL = 10 * time.Minute
)

// minSealingKey is the minimal length of a sealing key, in bytes.
const minSealingKey = 32

// An Option configures a [Guard].
type Option interface{ apply(*config) error }

type optionFunc func(*config) error

func (f optionFunc) apply(c *config) error { return f(c) }

// A config is what the options of a guard set. Only [New] reads it.
type config struct {
	settings

	sink    audit.Sink
	records ledger.Config
}

// A settings value is the part of a config that calls read. It does not change
// after [New].
type settings struct {
	principal  PrincipalFunc // nil: every caller is anonymous
	authorizer Authorizer    // nil: permissions alone decide
	logger     *slog.Logger  // nil: slog.Default() at each line
	observer   Observer      // nil: none
	audit      auditConfig
	drain      time.Duration
	dryRunTTL  time.Duration
	failOpen   bool // for the store, as [WithStoreFailOpen] explains
	retries    retryBudget
	limiter    ratelimit.Limiter
	rate       callRate
	people     peopleConfig
	auditOnly  map[string]map[string]bool // by tool, the clauses that are only audited
	trifecta   bool                       // see [WithTrifectaConfirmation]
	ifcLabels  bool                       // see [WithIFCLabels]
}

// An auditConfig is what happens if the audit sink accepts no events.
type auditConfig struct {
	requiredFrom risk.Level // from this level up a call is refused
	loss         func(lost int)
}

// A retryBudget bounds how often a call may fail. Zero failures switch it off.
type retryBudget struct {
	failures int
	window   time.Duration
}

// pause is how long a read whose budget is used up is refused after a failure.
// It is positive, because the store requires that.
func (b retryBudget) pause() time.Duration { return max(b.window/time.Duration(b.failures), 1) }

// A callRate is a number of calls in a time.
type callRate struct {
	calls int
	per   time.Duration
}

// A peopleConfig is how people are asked.
type peopleConfig struct {
	approver        Approver   // nil: a client that cannot ask is refused
	approverFrom    risk.Level // undeclared: the approver asks if the client cannot
	deciders        DeciderFunc
	stepUpPage      StepUpPage // nil: no one is sent to authenticate
	questionTimeout time.Duration
	questionTTL     time.Duration
	declineMemory   time.Duration
}

// newConfig returns the defaults, changed by the options. The error joins those
// of all options.
func newConfig(opts []Option) (config, error) {
	c := config{
		settings: settings{
			audit:     auditConfig{requiredFrom: risk.Medium},
			drain:     DefaultDrain,
			dryRunTTL: DefaultDryRunTTL,
			retries:   retryBudget{DefaultRetries, DefaultRetryWindow},
			rate:      callRate{DefaultRateCalls, DefaultRateTime},
			people: peopleConfig{
				questionTimeout: DefaultQuestionTimeout, questionTTL: DefaultQuestionTTL, declineMemory: DefaultDeclineMemory,
			},
			auditOnly: map[string]map[string]bool{},
		},
		sink:    audit.Slog(slog.Default()),
		records: ledger.Config{Timeout: DefaultStoreTimeout, Lease: DefaultLease},
	}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("guard: option %d is nil", i))
			continue
		}
		errs = append(errs, o.apply(&c))
	}
	if c.limiter == nil {
		own, err := ratelimit.NewMemory()
		c.limiter, errs = own, append(errs, err)
	}
	return c, errors.Join(errs...)
}

// WithPrincipal sets the function that finds the principal of a call. Without
// it every caller is anonymous, and tools that need a principal cannot be
// protected. Nil is an error.
func WithPrincipal(f PrincipalFunc) Option {
	return optionFunc(func(c *config) error {
		if f == nil {
			return errors.New("guard: WithPrincipal: the function is nil")
		}
		c.principal = f
		return nil
	})
}

// WithAuthorizer sets the policy that decides after the permissions were
// checked, for all tools. A tool's own function (contract.Builder.Authorize)
// must allow the call too. Default: there is no policy. Nil is an error.
func WithAuthorizer(a Authorizer) Option {
	return optionFunc(func(c *config) error {
		if a == nil {
			return errors.New("guard: WithAuthorizer: the authorizer is nil")
		}
		c.authorizer = a
		return nil
	})
}

// WithAudit sets where audit events go. Default: audit.Slog(slog.Default()).
// Nil is an error.
//
// A slow sink makes calls wait: an event waits for a place in the queue, at
// most 10 seconds. If the sink fails, takes longer than 2 seconds for an event,
// or is too slow, events may be lost. [WithAuditRequiredFrom] sets which calls
// are then refused. Lost events are reported to the logger of [WithLogger], to
// the function of [WithAuditLoss], and by [Guard.Close].
func WithAudit(sink audit.Sink) Option {
	return optionFunc(func(c *config) error {
		if sink == nil {
			return errors.New("guard: WithAudit: the sink is nil")
		}
		c.sink = sink
		return nil
	})
}

// WithAuditRequiredFrom sets the risk level from which calls need the audit
// log. While the sink accepts no events, these calls answer unavailable and do
// not run. Calls below the level run, and their events may be lost. Default:
// [risk.Medium], so reads go on. [risk.Low] also refuses reads. [risk.High]
// lets calls up to medium run. Any other level is an error, because a call from
// high up never runs without its intent in the audit log.
func WithAuditRequiredFrom(level risk.Level) Option {
	return optionFunc(func(c *config) error {
		if level != risk.Low && level != risk.Medium && level != risk.High {
			return errors.New("guard: WithAuditRequiredFrom: the level is not risk.Low, risk.Medium or risk.High")
		}
		c.audit.requiredFrom = level
		return nil
	})
}

// WithAuditLoss sets a function that gets the number of audit events that were
// lost since its last call: at once after the first, then at most once in 10
// seconds, and a last time before [Guard.Close] returns. It runs on a goroutine
// of its own, one call at a time. Its panic is contained. Default: only the
// logger of [WithLogger] reports lost events. Nil is an error.
func WithAuditLoss(f func(lost int)) Option {
	return optionFunc(func(c *config) error {
		if f == nil {
			return errors.New("guard: WithAuditLoss: the function is nil")
		}
		c.audit.loss = f
		return nil
	})
}

// WithLogger sets the logger for what people who run the server must know and
// callers must not, such as the stack of a handler that panicked. Of the panics
// of one tool at one line it gets one in ten seconds, and then the number of
// the others. It does not get audit events; see [WithAudit]. Default:
// slog.Default(), as it is when a line is written. Nil is an error.
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(c *config) error {
		if l == nil {
			return errors.New("guard: WithLogger: the logger is nil")
		}
		c.logger = l
		return nil
	})
}

// WithAuditOnly audits clauses of one tool without enforcing them, while a
// contract is being introduced. A call that breaks such a clause goes on, and
// its audit events name the clause under auditOnly.
//
// Clauses are "permissions", "objectAuthorization", "rateLimit", "dryRun" (if
// it is required), "confirmation" and "stepUp". Any other clause is an error,
// including totalRateLimit, because all other clauses are always enforced.
// [Guard.Protect] returns an error for a clause that the tool does not have,
// for a clause that its security level demands, and for every tool from
// critical up.
//
// A tool whose permissions are only audited is listed to every known caller.
// Name the tool itself, not an alias of it. The name of an unknown tool has no
// effect. Default: every clause is enforced.
func WithAuditOnly(tool string, clauses ...string) Option {
	return optionFunc(func(c *config) error {
		known := auditableClauses()
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

// WithTrifectaConfirmation refuses tools that can leak private data together
// without a person: if some tools of a [Toolset] read untrusted data, some read
// private data and some send data out, every tool that sends must ask a person
// about every call. Otherwise [Guard.Protect] returns an error for each tool
// that does not. Package trifecta explains what counts and what it cannot see.
//
// A confirmation that is only audited does not count. Neither does one that the
// contract can waive for some arguments (contract.Builder.Resolve). Default:
// the combination is not checked; contracttest.Check warns about it.
func WithTrifectaConfirmation() Option {
	return optionFunc(func(c *config) error {
		c.trifecta = true
		return nil
	})
}

// WithIFCLabels adds a label for information flow control to every result: the
// member "ifc" of _meta, such as
// {"integrity":"untrusted","confidentiality":"private"}. Some servers write
// such labels and some hosts read them; the protocol does not define them.
//
// Integrity is "trusted" only if the results of the tool contain no untrusted
// data. Confidentiality is "public" only if the contract declares
// [contract.PublicData]. A label that a handler has set itself counts if it is
// stricter. Default: results have only the label of their handler.
func WithIFCLabels() Option {
	return optionFunc(func(c *config) error {
		c.ifcLabels = true
		return nil
	})
}

// WithDrain sets how long [Guard.Close] waits for running handlers before it
// gives them up. Default: [DefaultDrain]. Zero does not wait; a negative
// duration is an error.
func WithDrain(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d < 0 {
			return errors.New("guard: WithDrain: the duration is negative")
		}
		c.drain = d
		return nil
	})
}

// WithStore sets the store for the outcomes of managed calls. Default: a store
// in this process's memory, which ends with the process and is not shared with
// other replicas. A store that processes share also needs [WithSealingKeys].
// The guard does not close the store. Nil is an error.
func WithStore(s store.Store) Option {
	return optionFunc(func(c *config) error {
		if s == nil {
			return errors.New("guard: WithStore: the store is nil")
		}
		c.records.Store = s
		return nil
	})
}

// WithSealingKeys sets the keys that seal results before they are stored, and
// the state of questions before clients carry it (AES-256-GCM under
// HKDF-SHA256). The first key seals and all keys open. To rotate a key, put the
// new key first and remove the old key after the longest retention. If no key
// opens a result, the call answers already_done.
//
// Each key has at least 32 bytes of randomness, and all replicas have the same
// keys. A shorter key is an error. Default: a random key, which ends with the
// guard.
//
// Names and namespaces distinguish servers with the same keys. Servers that
// have both in common count as replicas of one server. Keys do not
// make a store in memory last: with one, [New] logs a warning.
func WithSealingKeys(current []byte, previous ...[]byte) Option {
	return optionFunc(func(c *config) error {
		keys := append([][]byte{current}, previous...)
		for i, key := range keys {
			if len(key) < minSealingKey {
				return fmt.Errorf("guard: WithSealingKeys: key %d has fewer than %d bytes", i+1, minSealingKey)
			}
		}
		c.records.Keys = keys
		return nil
	})
}

// WithNamespace separates servers that share a store or sealing keys, such as
// staging and production: the same principal, tool and key in another namespace
// is another call, and an answer or a preview from another namespace does not
// count. All replicas of one server have the same namespace. Default: the empty
// namespace.
func WithNamespace(namespace string) Option {
	return optionFunc(func(c *config) error {
		c.records.Namespace = namespace
		return nil
	})
}

// WithStoreTimeout bounds every operation of the store. While the store does
// not answer, the first call waits that long, and later one call every ten
// seconds. Other calls that need the store are refused at once until it answers
// again. With [WithStoreFailOpen] each call waits, because it must not run what
// the store has recorded. Default: [DefaultStoreTimeout]. A duration that is
// not positive is an error.
func WithStoreTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithStoreTimeout: the duration is not positive")
		}
		c.records.Timeout = d
		return nil
	})
}

// WithLease sets how long a managed call that no longer renews its claim counts
// as running. A running call renews in time. After a crash, retries of the call
// answer idempotency_key_in_progress for this long. A lease is at least three
// times the store's timeout, because one renewal may be lost; a shorter lease
// is an error. Default: [DefaultLease].
func WithLease(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithLease: the duration is not positive")
		}
		c.records.Lease = d
		return nil
	})
}

// WithStoreFailOpen lets managed tools up to low-risk-write run without a
// record while the store cannot be reached. Their calls may then run twice, and
// the audit event of such a call has notPersisted. A full store is not an
// outage: it refuses new calls. Each call queries the store, so each waits for
// [WithStoreTimeout] during an outage. Default: nothing runs without a record.
func WithStoreFailOpen() Option {
	return optionFunc(func(c *config) error {
		c.failOpen = true
		return nil
	})
}

// WithRetryBudget bounds how often the same principal may fail with the same
// tool, arguments and code, for tools whose contract declares no retryBudget.
// After that many failures within window, counted from the first, the same call
// answers retry_budget_exhausted and does not run. A success resets the count.
// Default: [DefaultRetries] in [DefaultRetryWindow]. Zero retries switch the
// budget off, except for tools that declare their own. A negative number, and a
// window that is not positive, are errors.
//
// For a tool with an effect the answer is fatal until window is over. A
// read-only tool runs again after a pause of window divided by retries, because
// a file that was missing, for example, may exist by then. Each further failure
// begins another pause. The answer during a pause is retryable, and its delay
// is the rest of the pause; see [contract.RetryBudget].
//
// Answers with a delay do not count, and neither do answers about something
// that the caller lacks (permission_denied, step_up_required,
// confirmation_required). Anonymous callers are not counted, because one of
// them could lock out others.
//
// Failures are counted in the guard's store, for all guards on it together.
// While the store cannot be reached, no call is refused because of its budget,
// and failures are not counted.
//
// Running calls do not count as failures, so equal concurrent calls that began
// within the budget, or after a pause, may all run. For a managed tool with an
// effect, only one call of a key runs at a time, and never more calls than the
// budget allows.
func WithRetryBudget(retries int, window time.Duration) Option {
	return optionFunc(func(c *config) error {
		if retries < 0 || retries > 0 && window <= 0 {
			return errors.New("guard: WithRetryBudget: retries must not be negative, and their window must be positive")
		}
		c.retries = retryBudget{retries, window}
		return nil
	})
}

// WithLimiter sets the limiter that counts calls against rate limits. Default:
// a [ratelimit.Memory] for this guard alone, so that each guard has its own
// limits. A call is refused if the limiter fails or does not answer within 10
// seconds. Nil is an error.
//
// Each principal has a limit for each tool: the contract's rateLimit, else
// [WithRateLimit]. A contract may also limit all callers of a tool together.
// Both are token buckets; see [ratelimit.Bucket]. A refused call gets the time
// after which it would be allowed if no other call came. Invalid calls, replays
// and dry runs also count. Calls of callers that may not use the tool do not
// count. The call that asked a question also pays for the call that answers it,
// once. Limits apply within one process, unless [WithLimiter] sets a shared
// limiter. The names of buckets do not disclose the caller.
func WithLimiter(l ratelimit.Limiter) Option {
	return optionFunc(func(c *config) error {
		if l == nil {
			return errors.New("guard: WithLimiter: the limiter is nil")
		}
		c.limiter = l
		return nil
	})
}

// WithRateLimit sets how often one principal may call one tool whose contract
// declares no limit: at most calls at once, given back evenly over per.
// Default: [DefaultRateCalls] in [DefaultRateTime], because servers must limit
// the rate of calls (MCP 2026-07-28, tools, security considerations). The limit
// cannot be disabled. A number or a time that is not positive is an error.
// Anonymous callers share one limit per tool because they cannot be
// distinguished.
func WithRateLimit(calls int, per time.Duration) Option {
	return optionFunc(func(c *config) error {
		if calls < 1 || per <= 0 {
			return errors.New("guard: WithRateLimit: the number of calls and their time must be positive")
		}
		c.rate = callRate{calls, per}
		return nil
	})
}

// WithDryRunTTL sets how long after a preview the call may follow, if the
// contract requires a dry run. Default: [DefaultDryRunTTL]. A duration that is
// not positive is an error.
func WithDryRunTTL(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithDryRunTTL: the duration is not positive")
		}
		c.dryRunTTL = d
		return nil
	})
}

// WithQuestionTimeout bounds how long a person may take to answer a question
// that is asked within the call. No answer counts as declined. For older
// clients the same limit applies to waiting for step-up and for a decision on
// the approver's page; see [WithStepUp] and [WithApprover]. Default:
// [DefaultQuestionTimeout]. A duration that is not positive is an error.
func WithQuestionTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTimeout: the duration is not positive")
		}
		c.people.questionTimeout = d
		return nil
	})
}

// WithQuestionTTL sets how long a question can be answered if the client
// carries the answer in another call, or if the approver asks. Default:
// [DefaultQuestionTTL]. A duration that is not positive is an error.
func WithQuestionTTL(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTTL: the duration is not positive")
		}
		c.people.questionTTL = d
		return nil
	})
}

// WithDeclineMemory sets how long a declined question is remembered, for every
// way of asking. Until then the same call is refused without a question. After
// three declined calls of a tool, so is every call of the tool that needs a
// question. The memory does not depend on [WithQuestionTTL]. Nothing is
// remembered for anonymous callers. Default: [DefaultDeclineMemory]. A duration
// that is not positive is an error.
func WithDeclineMemory(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithDeclineMemory: the duration is not positive")
		}
		c.people.declineMemory = d
		return nil
	})
}

// WithApprover sets the approver that asks a person if the client cannot. A
// client that can open addresses sends its user to the approver's page, unless
// [WithDeciders] is set. The calls of all other clients answer
// confirmation_pending with a delay and the address. Once the person has
// approved it, the same call by the same principal runs once. Anonymous calls
// are refused, because a retry could not be tied to the same caller. Default: a
// call whose client cannot ask is refused. Nil is an error.
func WithApprover(a Approver) Option {
	return optionFunc(func(c *config) error {
		if a == nil {
			return errors.New("guard: WithApprover: the approver is nil")
		}
		c.people.approver = a
		return nil
	})
}

// WithApproverFrom makes the approver ask about all calls of tools of this risk
// level and above, even if the client can ask. So a client that lies cannot
// give the answer. It needs [WithApprover]; without it, and with an undeclared
// level, [New] returns an error. Default: the approver asks only if the client
// cannot.
func WithApproverFrom(level risk.Level) Option {
	return optionFunc(func(c *config) error {
		if !level.IsValid() {
			return errors.New("guard: WithApproverFrom: the level is undeclared or none")
		}
		c.people.approverFrom = level
		return nil
	})
}

// WithDeciders sets which people may decide. Some rules always apply first:
// agents, anonymous principals, and people of another tenant than the call's
// may not decide. Default: every other person that the approver authenticates
// may decide, including the principal of the call; see [FourEyes]. With
// deciders, clients do not send their users to the approver's page. It needs
// [WithApprover]. Nil is an error.
func WithDeciders(may DeciderFunc) Option {
	return optionFunc(func(c *config) error {
		if may == nil {
			return errors.New("guard: WithDeciders: the function is nil")
		}
		c.people.deciders = may
		return nil
	})
}

// WithStepUp sets the page on which a person authenticates again, if a contract
// demands an authentication that is more recent or stronger than the caller's.
// Clients that can open an address send the person there. Default: such a call
// answers step_up_required, and the client has to retry it with other
// credentials. Nil is an error.
//
// Only the authentication that [WithPrincipal] returns counts: AuthTime within
// maxAgeSeconds, by this server's clock, and exactly the ACR. Nothing in a
// request counts as an authentication.
//
// With [WithStepUp], a client that can open addresses (elicitation in URL mode)
// sends the person to a page of the server author. The address has an id that
// works once, for this call and this principal. If the client accepts, the
// address may be opened; nothing is authenticated yet. The page authenticates
// the person, shows the result of [Guard.OpenStepUp], and calls
// [Guard.CompleteStepUp]. The call then goes on, once. A client that accepts
// waits for that, 20 seconds at a time. A declined step-up is remembered, as a
// declined question is. Other clients get step_up_required, which names the
// missing part.
func WithStepUp(page StepUpPage) Option {
	return optionFunc(func(c *config) error {
		if page == nil {
			return errors.New("guard: WithStepUp: the page is nil")
		}
		c.people.stepUpPage = page
		return nil
	})
}
