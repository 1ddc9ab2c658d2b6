package guard_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard"
)

// principals are the ways to find a principal, with the number of allocations
// that a plain call may need.
var principals = map[string]struct {
	find        guard.PrincipalSource
	allocations float64
}{
	"immediate": {atOnce{func(context.Context) (guard.Principal, error) { return alice, nil }}, 18},
	"author":    {guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil }), 27},
}

// plainCalls returns a function that makes a plain call, without a server.
func plainCalls(tb testing.TB, find guard.PrincipalSource) func() {
	tb.Helper()
	discard := audit.Func(func(context.Context, audit.Event) error { return nil })
	g, err := guard.New(guard.WithPrincipal(find), guard.WithAudit(discard), unlimited)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, g.Close(context.Background())) })
	n := &counter{}
	set, err := g.Protect(n.payer("pay.now").MustBuild())
	require.NoError(tb, err)
	return func() {
		r, err := set.Call(tb.Context(), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
		if err != nil || r.IsError {
			tb.Fatal(r, err)
		}
	}
}

func TestToolset_CallAllocations(t *testing.T) {
	if !countsAllocations {
		t.Skip("the race detector allocates too")
	}
	for name, p := range principals {
		call := plainCalls(t, p.find)
		// The runtime may allocate a goroutine in a call, if the one of the call
		// before has not ended yet. Such noise only adds.
		fewest := testing.AllocsPerRun(200, call)
		for range 9 {
			fewest = min(fewest, testing.AllocsPerRun(200, call))
		}
		assert.LessOrEqual(t, fewest, p.allocations, name)
	}
}
