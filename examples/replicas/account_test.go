package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

func TestTheAccountNoticesWhatIsWrong(t *testing.T) {
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
		{"each ran once", []contract.Outcome{ok, ok, replayed, refused}, 0, []effect{one, two}, false},
		{"the answer of one was lost", []contract.Outcome{ok, refused}, 1, []effect{one, two}, false},
		{"an order was placed twice", []contract.Outcome{ok, ok}, 0, []effect{one, one}, true},
		{"a replay had an effect", []contract.Outcome{ok, replayed}, 0, []effect{one, two}, true},
		{"a call that ran had no effect", []contract.Outcome{ok, ok}, 0, []effect{one}, true},
		{"a lost call had no effect", []contract.Outcome{ok}, 1, []effect{one}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var a account
			for _, o := range tt.outcomes {
				a.enter(o, nil)
			}
			for range tt.lost {
				a.enter(contract.Outcome{}, io.ErrUnexpectedEOF)
			}
			a.settle(tt.effects)
			assert.Equal(t, tt.wrong, a.check() != nil)
		})
	}
}

func TestTheTextReportsThatItCannotBeWritten(t *testing.T) {
	t.Parallel()
	closed, w := io.Pipe()
	assert.NoError(t, closed.Close())
	assert.ErrorIs(t, (&account{}).writeText(w), io.ErrClosedPipe)
}
