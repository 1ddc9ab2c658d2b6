package guard

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/risk"
)

// The times and bounds that apply if no option sets them.
const (
	// DefaultDrain is how long Close waits for running handlers.
	DefaultDrain = 10 * time.Second
	// DefaultDryRunTTL is how long after a preview the call may follow.
	DefaultDryRunTTL = 10 * time.Minute
)

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
	principal  PrincipalSource // nil: every caller is anonymous
	authorizer Authorizer      // nil: permissions alone decide
	logger     *slog.Logger    // nil: slog.Default() at each line
	observer   Observer        // nil: none
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
			errs = append(errs, fmt.Errorf("guard: option %d is nil; leave it out", i))
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

// WithPrincipal sets what finds the principal of a call. Without it every
// caller is anonymous, and tools that need a principal cannot be protected. Nil
// is an error.
func WithPrincipal(s PrincipalSource) Option {
	return optionFunc(func(c *config) error {
		if f, isFunc := s.(PrincipalFunc); s == nil || isFunc && f == nil {
			return errors.New("guard: WithPrincipal: the source is nil; pass one, such as mcpgo.Bearer(verify) or mcpgo.LocalUser()")
		}
		c.principal = s
		return nil
	})
}

// WithAuthorizer sets the policy that decides after the permissions were
// checked, for all tools. A tool's own function (contract.Builder.Authorize)
// must allow the call too. Default: there is no policy. Nil is an error.
func WithAuthorizer(a Authorizer) Option {
	return optionFunc(func(c *config) error {
		if a == nil {
			return errors.New("guard: WithAuthorizer: the authorizer is nil; pass one, or leave the option out")
		}
		c.authorizer = a
		return nil
	})
}

// WithTrifectaConfirmation refuses tools that can leak private data together
// without a person: if some tools of a [Toolset] read untrusted data, some read
// private data and some send data out, every tool that sends must ask a person
// about every call. Otherwise [Guard.Protect] returns an error for each tool
// that does not. Package trifecta explains what counts and what it cannot see.
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
