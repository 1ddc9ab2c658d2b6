package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// BenchmarkManaged compares first and replayed calls of a managed tool with
// calls of an unmanaged tool.
func BenchmarkManaged(b *testing.B) {
	open := func() store.Store {
		opened, err := store.NewMemory()
		require.NoError(b, err)
		return opened
	}
	b.Run("unmanaged", func(b *testing.B) {
		n := &counter{}
		benchmarkCalls(b, n.payer("pay.now").MustBuild(), false, open())
	})
	for _, repeat := range []bool{false, true} {
		b.Run(map[bool]string{false: "first", true: "replay"}[repeat], func(b *testing.B) {
			n := &counter{}
			benchmarkCalls(b, n.managedPayer("pay.now", byClientKey, nil).MustBuild(), repeat, open())
		})
	}
}

func benchmarkCalls(b *testing.B, tool *contract.Tool, repeat bool, opened store.Store) {
	b.Helper()
	discard := audit.Func(func(context.Context, audit.Event) error { return nil })
	g, err := guard.New(guard.WithPrincipal(guard.PrincipalFunc(fromContext)), guard.WithAudit(discard), guard.WithStore(opened),
		guard.WithSealingKeys(bytes.Repeat([]byte{1}, 32)), guard.WithNamespace("bench"), unlimited)
	require.NoError(b, err)
	set, err := g.Protect(tool)
	require.NoError(b, err)
	ctx := as(b.Context(), alice)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if i++; repeat {
			i = 1
		}
		key := fmt.Sprint(i)
		r, err := set.Call(ctx, guard.Request{Tool: tool.Name(), Arguments: json.RawMessage(validPay), IdempotencyKey: &key})
		if err != nil || r.IsError {
			b.Fatal(r, err)
		}
	}
	require.NoError(b, g.Close(b.Context()))
}
