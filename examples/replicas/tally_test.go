package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
)

func TestTally_ChecksCallsAgainstEffects(t *testing.T) {
	t.Parallel()
	one := effect{Order: "1", Server: "a", Receipt: "r1"}
	two := effect{Order: "2", Server: "a", Receipt: "r2"}
	mixed := effect{Order: "1", Server: "a", Receipt: "r2"}
	again := effect{Order: "1", Server: "b", Receipt: "r3"}
	ok := func(e effect) call { return call{contract.Outcome{Status: contract.StatusOK}, e} }
	replayed := func(e effect) call { return call{contract.Outcome{Status: contract.StatusReplayed}, e} }
	refused := call{contract.Outcome{Status: contract.StatusError, Code: contract.CodeUnavailable}, one}
	tests := []struct {
		name    string
		calls   []call
		lost    int
		killed  map[string]moment
		effects []effect
		wrong   bool
	}{
		{"each call ran once", []call{ok(one), ok(two), replayed(one), refused}, 0, nil, []effect{one, two}, false},
		{"an answer was lost", []call{ok(one), replayed(two)}, 1, nil, []effect{one, two}, false},
		{"a lost call had no effect", []call{ok(one), ok(two)}, 1, nil, []effect{one, two}, false},
		{"an order was placed twice", []call{ok(one), ok(again), ok(two)}, 0, nil, []effect{one, again, two}, true},
		{"a replay had an effect", []call{ok(one), replayed(two)}, 0, nil, []effect{one, two}, true},
		{"a call with status ok had no effect", []call{ok(one), ok(one), ok(two)}, 0, nil, []effect{one, two}, true},
		{"a receipt is of no order", []call{ok(one), replayed(two)}, 1, nil, []effect{one, {Order: "2"}}, true},
		{"a receipt is of another order", []call{ok(one), ok(two), replayed(mixed)}, 0, nil, []effect{one, two}, true},
		{"a caller got no receipt", []call{ok(one), refused}, 1, nil, []effect{one, two}, true},
		{"a placed order is found", []call{replayed(one), ok(two)}, 1, map[string]moment{"1": placed}, []effect{one, two}, false},
		{"a placed order is run", []call{ok(one), ok(two)}, 1, map[string]moment{"1": placed}, []effect{one, two}, true},
		{"a sent order is run", []call{ok(one), ok(two)}, 1, map[string]moment{"1": sent}, []effect{one, two}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := newTally(2)
			a.killed = tt.killed
			for _, c := range tt.calls {
				a.addCall(c.effect.Order, c.Outcome, c.effect.output(), nil)
			}
			for range tt.lost {
				a.addCall("1", contract.Outcome{}, placeOutput{}, io.ErrUnexpectedEOF)
			}
			a.addEffects(tt.effects)
			assert.Equal(t, tt.wrong, a.check() != nil, "%v", a.check())
		})
	}
}

type call struct {
	contract.Outcome
	effect effect
}

func TestTally_ReportsAFailedWrite(t *testing.T) {
	t.Parallel()
	closed, w := io.Pipe()
	assert.NoError(t, closed.Close())
	assert.ErrorIs(t, newTally(1).writeText(w), io.ErrClosedPipe)
}
