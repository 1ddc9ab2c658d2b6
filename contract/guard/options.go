package guard

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/risk"
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
	audit      AuditLoss
	times      Times
	failOpen   bool // for the store, as [WithStoreFailOpen] explains
	retries    retryBudget
	limiter    ratelimit.Limiter
	rate       callRate
	people     PeopleOptions
	deciders   DeciderFunc
	auditOnly  map[string]map[string]bool // by tool, the clauses that are only audited
	trifecta   bool                       // see [WithTrifectaConfirmation]
	ifcLabels  bool                       // see [WithIFCLabels]
}

// newConfig returns the defaults, changed by the options. The error joins those
// of all options.
func newConfig(opts []Option) (config, error) {
	c := config{
		settings: settings{
			audit:     AuditLoss{RefuseFrom: risk.Medium},
			times:     defaultTimes(),
			retries:   retryBudget{defaultRetries, defaultRetryWindow},
			rate:      callRate{defaultRateCalls, defaultRateTime},
			auditOnly: map[string]map[string]bool{},
		},
		sink: audit.Slog(slog.Default()),
	}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("guard: option %d is nil; leave it out", i))
			continue
		}
		errs = append(errs, o.apply(&c))
	}
	c.records.Timeout, c.records.Lease = c.times.StoreTimeout, c.times.Lease
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
