package guard

import (
	"errors"
	"fmt"
	"time"
)

// Times are the times of a guard that [WithTimes] sets. A zero field stands for
// its default. A negative field is an error, except Drain.
type Times struct {
	// QuestionTimeout bounds how long a person may take to answer a question
	// that is asked within the call. No answer counts as declined. For older
	// clients the same limit applies to waiting for step-up and for a decision
	// on the approver's page; see [PeopleOptions]. Default: 2 minutes.
	QuestionTimeout time.Duration
	// QuestionTTL is how long a question can be answered if the client carries
	// the answer in another call, or if the approver asks. Default: 10 minutes.
	QuestionTTL time.Duration
	// DeclineMemory is how long a declined question is remembered, for every
	// way of asking. Until then the same call is refused without a question.
	// After three declined calls of a tool, so is every call of the tool that
	// needs a question. The memory does not depend on QuestionTTL. Nothing is
	// remembered for anonymous callers. Default: 10 minutes.
	DeclineMemory time.Duration
	// DryRunTTL is how long after a preview the call may follow, if the
	// contract requires a dry run. Default: 10 minutes.
	DryRunTTL time.Duration
	// StoreTimeout bounds every operation of the store. While the store does
	// not answer, the first call waits that long, and later one call every ten
	// seconds. Other calls that need the store are refused at once until it
	// answers again. With [WithStoreFailOpen] each call waits, because it must
	// not run what the store has recorded. Default: 2 seconds.
	StoreTimeout time.Duration
	// Lease is how long a managed call that no longer renews its claim counts
	// as running. A running call renews in time. After a crash, retries of the
	// call answer idempotency_key_in_progress for this long. A lease is at
	// least three times StoreTimeout, because one renewal may be lost; a
	// shorter lease is an error. Default: 30 seconds.
	Lease time.Duration
	// Drain is how long [Guard.Close] waits for running handlers before it
	// gives them up. If it is negative, Close does not wait. Default: 10
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

// WithTimes sets the times of the guard that are not zero in t.
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
