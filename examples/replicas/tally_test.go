package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

func TestTally_ChecksCallsAgainstEffects(t *testing.T) {
	t.Parallel()
	ok := contract.Outcome{Status: contract.StatusOK}
	replayed := contract.Outcome{Status: contract.StatusReplayed}
	refused := contract.Outcome{Status: contract.StatusError, Code: contract.CodeUnavailable}
	one, two := effect{Order: "1", Server: "a"}, effect{Order: "2", Server: "a"}
	tests := []struct {
		name     string
		outcomes []contract.Outcome
		lost     int
		effects  []effect
		wrong    bool
	}{
		{"each call ran once", []contract.Outcome{ok, ok, replayed, refused}, 0, []effect{one, two}, false},
		{"an answer was lost", []contract.Outcome{ok, refused}, 1, []effect{one, two}, false},
		{"an order was placed twice", []contract.Outcome{ok, ok}, 0, []effect{one, one}, true},
		{"a replay had an effect", []contract.Outcome{ok, replayed}, 0, []effect{one, two}, true},
		{"a call with status ok had no effect", []contract.Outcome{ok, ok}, 0, []effect{one}, true},
		{"a lost call had no effect", []contract.Outcome{ok}, 1, []effect{one}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a tally
			for _, o := range tt.outcomes {
				a.addCall(o, nil)
			}
			for range tt.lost {
				a.addCall(contract.Outcome{}, io.ErrUnexpectedEOF)
			}
			a.addEffects(tt.effects)
			assert.Equal(t, tt.wrong, a.check() != nil)
		})
	}
}

func TestTally_ReportsAFailedWrite(t *testing.T) {
	t.Parallel()
	closed, w := io.Pipe()
	assert.NoError(t, closed.Close())
	assert.ErrorIs(t, (&tally{}).writeText(w), io.ErrClosedPipe)
}
