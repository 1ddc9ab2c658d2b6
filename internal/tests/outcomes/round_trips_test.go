//go:build unix

package outcomes_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCrash_ReconcileCostsNothingUntilAnOutcomeIsUnknown lists the operations of
// the store. A repeated call claims the record, which has the result.
func TestCrash_ReconcileCostsNothingUntilAnOutcomeIsUnknown(t *testing.T) {
	t.Parallel()
	inShops(t, sample(memory), func(t *testing.T, s *shop) {
		for name, terms := range map[string]terms{
			"without": {}, "with": {Ask: void}, "with a rerun": {Ask: look, Rerun: true},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				trace := filepath.Join(t.TempDir(), "trace")
				server := s.start(t, &process{Terms: terms, Trace: trace})
				operations := func() []string {
					text, err := os.ReadFile(trace)
					require.NoError(t, err)
					require.NoError(t, os.Remove(trace))
					return strings.Fields(string(text))
				}
				o := s.order(name, plan{})
				o.place(t.Context(), server)
				assert.Equal(t, []string{"Claim", "Complete"}, operations())
				o.place(t.Context(), server)
				assert.Equal(t, []string{"Claim"}, operations())
				o.isPlacedOnce(t)
			})
		}
	})
}

// TestCrash_AQuestionCostsStepsOnlyOfItsCall lists the operations of the store
// for a call that finds an outcome unknown.
func TestCrash_AQuestionCostsStepsOnlyOfItsCall(t *testing.T) {
	t.Parallel()
	// It claims in vain, reads the record and asks. Then it ends the execution that
	// it has asked about, makes sure of that, and takes the record over to write
	// what it found, or to run.
	const want = "Claim Get Spend Complete Get Claim Complete"
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{atEffect, atHandler} {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order(string(at), plan{kill: at})
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				o.awaitLease(t)
				trace := filepath.Join(t.TempDir(), "trace")
				o.place(t.Context(), s.start(t, &process{Terms: terms{Ask: void}, Trace: trace}))
				text, err := os.ReadFile(trace)
				require.NoError(t, err)
				assert.Equal(t, want, strings.Join(strings.Fields(string(text)), " "), "%s", o)
				o.isPlacedOnce(t)
			})
		}
	})
}
