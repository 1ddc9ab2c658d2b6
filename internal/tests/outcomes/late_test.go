//go:build unix

package outcomes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// The provider is late by more than a lease, so that it is asked meanwhile.
const (
	lateEffect = lease + 2500*time.Millisecond
	lateQuery  = lease + 3*time.Second
	quiet      = 6 * time.Second // longer than either of them after the lease
)

// TestCrash_ALateProviderHasOneEffect kills the process of an order while the
// effect is on its way, or cannot be seen yet. Nobody can tell the provider to
// refuse a key.
func TestCrash_ALateProviderHasOneEffect(t *testing.T) {
	t.Parallel()
	late := map[string]plan{
		"an effect that comes late":               {kill: atWire, delay: lateEffect},
		"an effect that shows late":               {kill: atEffect, behind: lateQuery},
		"both, with a provider that deduplicates": {kill: atWire, delay: lateEffect, behind: lateQuery, dedupe: true},
	}
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for name, as := range late {
			for risky, terms := range map[string]terms{
				"low":  {Ask: look, Quiet: quiet, Low: true},
				"high": {Ask: look, Quiet: quiet},
			} {
				if as.dedupe {
					terms.Rerun = true
				}
				t.Run(name+", "+risky, func(t *testing.T) {
					t.Parallel()
					var f figures
					orders, together := numberOfOrders(1, 0.2)
					s.placeAll(t, orders, together, terms, func(t *testing.T, n int, other *server) {
						o := s.order(fmt.Sprintf("%s, %s %d", name, risky, n), as)
						o.breakOff(t, crash{first: as.kill}, &process{Official: n%2 == 1, Terms: terms})
						o.placeUntil(t, other)
						s.provider.awaitRequests(t, o.name, 1) // that of the killed process
						if !as.dedupe {
							assert.Positive(t, o.judge().unknown, "the provider was asked too early: %s", o)
						}
						f.add(o, o.isPlacedOnce(t))
					})
					f.log(t, s, name+", "+risky)
				})
			}
		}
	})
}

// TestCrash_WhatHasNotHappenedSoFarRunsAfterTheQuietTime has no effect before
// the process is killed.
func TestCrash_WhatHasNotHappenedSoFarRunsAfterTheQuietTime(t *testing.T) {
	t.Parallel()
	const quietHere = time.Second
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for name, c := range map[string]struct {
			terms
			runs bool
		}{
			"below high risk":           {terms{Ask: look, Quiet: quietHere, Low: true}, true},
			"without a quiet time":      {terms{Ask: look, Low: true}, false},
			"high risk":                 {terms{Ask: look, Quiet: quietHere}, false},
			"high risk, deduplicated":   {terms{Ask: look, Rerun: true}, true},
			"a provider that is unsure": {terms{Ask: unsure, Quiet: quietHere, Low: true}, false},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o := s.order(name, plan{})
				o.breakOff(t, crash{first: atHandler}, &process{Terms: c.terms})
				other := s.start(t, &process{Terms: c.terms})
				if c.runs {
					o.placeUntil(t, other)
					o.isPlacedOnce(t)
					return
				}
				o.placeUntilUnknown(t, other)
				for asked := s.provider.questions(o.name); s.provider.questions(o.name) < asked+2; time.Sleep(quietHere) {
					a := o.place(t.Context(), other)
					assert.Equal(t, contract.CodeOutcomeUnknown, a.Code, "%s", o)
					require.Equal(t, contract.ClassRetryable, a.Class, "%s", o)
				}
				assert.Empty(t, s.provider.placed(o.name))
			})
		}
	})
}

// TestCrash_AProviderThatIsSlowToAnswerIsAskedAgain lets questions take longer
// than they may.
func TestCrash_AProviderThatIsSlowToAnswerIsAskedAgain(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{atHandler, atEffect} {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order(string(at), plan{kill: at, slow: lease})
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				before := len(s.provider.placed(o.name))
				other := s.start(t, &process{Terms: terms{Ask: void}})
				o.placeUntilUnknown(t, other)
				for range 2 {
					a := o.place(t.Context(), other)
					assert.Equal(t, contract.CodeOutcomeUnknown, a.Code, "%s", o)
					a.pause()
				}
				require.Len(t, s.provider.placed(o.name), before, "nothing runs: %s", o)
				s.provider.plan(o.name, plan{})
				o.placeUntil(t, other)
				o.isPlacedOnce(t)
			})
		}
	})
}
