package guard_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// A thousand callers are faster than the sink. The queue makes them wait, and
// nothing is lost.
func TestThreat132_EveryCallOfAThousandClientsHasOneTerminalEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const clients, calls = 1000, 5
		ended := map[string]int{}
		slow := audit.Func(func(_ context.Context, e audit.Event) error {
			time.Sleep(time.Millisecond)
			if e.Kind == audit.Terminal {
				ended[e.CallID]++
			}
			return nil
		})
		n := &counter{}
		k := newKit(t, []*contract.Tool{
			reader("time.now", func(context.Context) (string, error) { return "noon", nil }).MustBuild(),
			n.payer("pay.now").MustBuild(),
		}, guard.WithAudit(slow), unlimited)
		var group sync.WaitGroup
		for client := range clients {
			group.Go(func() {
				for range calls {
					tool, arguments := "time.now", "{}"
					if client%2 == 0 {
						tool, arguments = "pay.now", validPay
					}
					r, err := k.set.Call(as(context.Background(), alice), guard.Request{Tool: tool, Arguments: json.RawMessage(arguments)})
					if assert.NoError(t, err) {
						assert.False(t, r.IsError, r.Text)
					}
				}
			})
		}
		group.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		assert.Zero(t, k.guard.Stats().AuditLost)
		assert.Len(t, ended, clients*calls)
		for _, events := range ended {
			require.Equal(t, 1, events)
		}
	})
}
