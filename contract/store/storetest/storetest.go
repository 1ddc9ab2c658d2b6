package storetest

import (
	"context"
	"errors"
	"testing"
	"time"
)

// RunStore checks a store against [StoreRules], each in a subtest with its name. newHarness is called once
// for each. A rule whose hook the harness lacks is skipped.
func RunStore(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	storeSuite().run(t, newHarness)
}

// RunNonces checks nonces against [NoncesRules], as [RunStore] does.
func RunNonces(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	noncesSuite().run(t, newHarness)
}

// RunCounter checks a counter against [CounterRules], as [RunStore] does.
func RunCounter(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	counterSuite().run(t, newHarness)
}

// CheckStore checks a store against [StoreRules], outside a test, and returns all violations joined; use
// [RuleErrors] to take them apart. newHarness is called once for each rule. A rule whose hook the harness
// lacks is left out.
func CheckStore(newHarness func() Harness) error { return storeSuite().errors(newHarness) }

// CheckNonces checks nonces against [NoncesRules], as [CheckStore] does.
func CheckNonces(newHarness func() Harness) error { return noncesSuite().errors(newHarness) }

// CheckCounter checks a counter against [CounterRules], as [CheckStore] does.
func CheckCounter(newHarness func() Harness) error { return counterSuite().errors(newHarness) }

// A suite is what one interface has to keep.
type suite struct {
	rules []Rule
	// subject names the member of the harness that is checked.
	subject hook
}

func storeSuite() suite   { return suite{StoreRules(), aStore} }
func noncesSuite() suite  { return suite{NoncesRules(), aStore} }
func counterSuite() suite { return suite{CounterRules(), aStore} }

func (s suite) run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	for _, rule := range s.rules {
		t.Run(rule.Name, func(t *testing.T) {
			h := newHarness(t)
			if what := rule.lack(h); what != "" {
				t.Skipf("the harness lacks %s", what)
			}
			if err := s.verdict(rule, h); err != nil {
				t.Errorf("%v\n%s", err, rule.Explanation)
			}
		})
	}
}

func (s suite) errors(newHarness func() Harness) error {
	var errs []error
	for _, rule := range s.rules {
		if h := newHarness(); rule.lack(h) == "" {
			errs = append(errs, s.verdict(rule, h))
		}
	}
	return errors.Join(errs...)
}

// hung is how long the check of a rule may take. All of them together take a second where nothing hangs.
const hung = 2 * time.Minute

// verdict checks one store against one rule; the error is a [*RuleError].
func (s suite) verdict(rule Rule, h Harness) error {
	if !s.subject.in(h) || h.Advance == nil {
		return &RuleError{Rule: rule.Name, Message: "the harness lacks " + string(s.subject) + " or Advance"}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := newProbe(ctx, h)
	ended := make(chan *RuleError, 1)
	go func() {
		defer func() {
			if recover() != nil {
				p.failure = broken("%s panicked", p.operation())
			}
			ended <- p.failure
		}()
		rule.check(p)
	}()
	timer := time.NewTimer(hung)
	defer timer.Stop()
	var failure *RuleError
	select {
	case failure = <-ended:
	case <-timer.C:
		failure = broken("%s has not returned after %v", p.operation(), hung)
	}
	if failure == nil {
		return nil
	}
	failure.Rule = rule.Name
	return failure
}
