package verify_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
)

type slotIn struct {
	Slot string `json:"slot"`
}

// visits returns the two tools of a fresh calendar: one books a visit, and one
// cancels it and forgets the call that booked it. It passes on what Forget
// returned.
func visits(mode idempotency.Mode, forgot func(error)) (book, cancel *contract.Tool) {
	var mu sync.Mutex
	taken := map[string]bool{}
	set := func(slot string, is bool) {
		mu.Lock()
		defer mu.Unlock()
		taken[slot] = is
	}
	write := func(name string, handler contract.Handler[slotIn, struct{}], i contract.Idempotency) *contract.Tool {
		return contract.New(name, handler).Description("Changes a visit.").Version("1.0.0").Effect(risk.LowRiskWrite).
			Trust(trust.Trusted).Permissions("visits:write").Idempotency(i).MustBuild()
	}
	bySlot := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"slot"}}
	book = write("visits.book", func(_ context.Context, in slotIn) (struct{}, error) {
		set(in.Slot, true)
		return struct{}{}, nil
	}, bySlot)
	undone := contract.Idempotency{Mode: mode}
	if mode == idempotency.Managed {
		undone = bySlot
	}
	cancel = write("visits.cancel", func(ctx context.Context, in slotIn) (struct{}, error) {
		set(in.Slot, false)
		err := guard.Forget(ctx, "visits.book", map[string]any{"slot": in.Slot})
		forgot(err)
		return struct{}{}, err
	}, undone)
	return book, cancel
}

func calendar(mode idempotency.Mode, forgot func(error)) verify.Option {
	return verify.WithFixture(func(testing.TB) verify.Fixture {
		book, cancel := visits(mode, forgot)
		return verify.Fixture{Tools: []*contract.Tool{book, cancel}}
	})
}

// The pattern in the manual: the tool that undoes a call forgets the call of
// another tool on the same server.
func TestTool_ServesTheOtherToolsOfAFixture(t *testing.T) {
	_, cancel := visits(idempotency.Native, func(error) {})
	slot := verify.Case{Input: slotIn{Slot: "9:00"}}
	for name, c := range map[string]struct {
		fixture verify.Option
		want    verify.Conclusion
	}{
		"with the other tool": {calendar(idempotency.Native, func(error) {}), verify.Consistent},
		"alone": {verify.WithFixture(func(testing.TB) verify.Fixture {
			_, cancel := visits(idempotency.Native, func(error) {})
			return verify.Fixture{Tool: cancel}
		}), verify.Contradicted},
		"with the tool itself and the other one": {verify.WithFixture(func(testing.TB) verify.Fixture {
			book, cancel := visits(idempotency.Native, func(error) {})
			return verify.Fixture{Tool: cancel, Tools: []*contract.Tool{cancel, nil, book}}
		}), verify.Consistent},
	} {
		t.Run(name, func(t *testing.T) {
			for _, j := range verify.Observe(t, cancel, slot, c.fixture).Judgements {
				if j.Rule == "failure.undeclared" {
					assert.Equal(t, c.want, j.Conclusion, j.Observed)
				}
			}
		})
	}
}

func TestCheckIdempotency_ServesTheOtherToolsOfAFixture(t *testing.T) {
	t.Parallel()
	var forgotten, missing atomic.Int64
	forgot := func(err error) {
		forgotten.Add(1)
		if err != nil {
			missing.Add(1)
		}
	}
	_, cancel := visits(idempotency.Managed, forgot)
	cases := []verify.Option{verify.Case{Input: slotIn{Slot: "9:00"}}, verify.Case{Input: slotIn{Slot: "9:30"}}}
	verify.CheckIdempotency(t, cancel, append(cases, calendar(idempotency.Managed, forgot))...)
	assert.Positive(t, forgotten.Load())
	assert.Less(t, missing.Load(), forgotten.Load(), "only a store that fails for the test forgets nothing")
}
