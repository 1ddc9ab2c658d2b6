package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// A caller is a principal in a session.
type caller struct {
	who     guard.Principal
	session string
}

// isAsked makes the question of another caller wait, for each of the open ones,
// and reports whether the last caller is still asked.
func isAsked(t *testing.T, open []caller, last caller) (asked bool) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n, goOn := &counter{}, make(chan struct{})
		k := newKit(t, []*contract.Tool{n.asking("pay.now").NoPermissions("Everybody may pay.").MustBuild()}, unlimited)
		call := func(c caller, ask people.Asker) *guard.Result {
			r, err := k.set.Call(as(t.Context(), c.who), guard.Request{
				Tool: "pay.now", Arguments: json.RawMessage(validPay),
				Client: guard.Client{Session: c.session, Ask: ask},
			})
			assert.NoError(t, err)
			return r
		}
		var group sync.WaitGroup
		for _, c := range open {
			group.Go(func() {
				call(c, func(context.Context, people.Question) (json.RawMessage, error) {
					<-goOn
					return json.RawMessage(declined), nil
				})
			})
		}
		synctest.Wait()
		r := call(last, func(context.Context, people.Question) (json.RawMessage, error) {
			asked = true
			return json.RawMessage(declined), nil
		})
		if !asked {
			refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
		}
		close(goOn)
		group.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
	})
	return asked
}

func TestThreat127_OneCallersQuestionsDoNotUseUpAnothersPlaces(t *testing.T) {
	t.Parallel()
	anonymous := guard.Principal{}
	times := func(n int, of func(i int) caller) (all []caller) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	for name, tc := range map[string]struct {
		open []caller
		last caller
		want bool
	}{
		"the same principal in the session":  {times(2, func(int) caller { return caller{alice, "s"} }), caller{alice, "s"}, false},
		"another principal in the session":   {times(2, func(int) caller { return caller{alice, "s"} }), caller{bob, "s"}, true},
		"an anonymous caller in the session": {times(2, func(int) caller { return caller{alice, "s"} }), caller{anonymous, "s"}, true},
		"the same principal in sessions": {times(8, func(i int) caller { return caller{alice, fmt.Sprint(i)} }), caller{alice, "s"},
			false},
		"another principal after sessions": {times(8, func(i int) caller { return caller{alice, fmt.Sprint(i)} }), caller{bob, "s"},
			true},
		"the same anonymous session": {times(2, func(int) caller { return caller{anonymous, "s"} }), caller{anonymous, "s"}, false},
		"another anonymous session": {times(8, func(i int) caller { return caller{anonymous, fmt.Sprint(i)} }), caller{anonymous, "s"},
			true},
		"a principal after a flood of anonymous sessions": {
			times(1000, func(i int) caller { return caller{anonymous, fmt.Sprint(i)} }), caller{bob, "s"}, true,
		},
		"more anonymous sessions than there are places": {
			times(1000, func(i int) caller { return caller{anonymous, fmt.Sprint(i)} }), caller{anonymous, "s"}, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tc.want, isAsked(t, tc.open, tc.last))
		})
	}
}
