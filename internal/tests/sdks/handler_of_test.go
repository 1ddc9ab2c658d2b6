package sdks_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// A wrapped server works over HTTP in both eras: the SDK's client lists and
// calls its tools, and a handler that asks gets its answer.
func TestHandlerOf_ServesAWrappedServerInBothEras(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		o := orders(s)
		o.AddTool(plain("ask_name"), func(_ context.Context, r request) (*result, error) {
			if a := r.response("name"); a != nil {
				return &result{text: "hello " + a.action}, nil
			}
			return &result{asks: map[string]form{"name": {message: "Who?", fields: map[string]string{"name": "string"}}}}, nil
		})
		k := &kit{t: t, sdk: s, server: o, sessions: map[string]string{}}
		k.guard, k.log = newGuard(t, s)
		base := versioned()
		base.Effect, base.Description = risk.ReadOnly, "Does something."
		_, err := o.WrapAll(k.guard, wrap.Rules{Base: base, Tools: map[string]wrap.Rule{
			"ask_name": {Options: []wrap.Option{wrap.WithRounds(3)}},
		}}, options{Config: adapter.Config{Tier: contract.TierFull}})
		require.NoError(t, err)
		h, err := o.HandlerOf()
		require.NoError(t, err)
		k.serve(h)

		person := whoAgrees()
		person.forms = true
		c := k.client(e, "alice", person)
		assert.Equal(t, []string{"ask_name", "cancel_order", "drop_orders", "find_order"}, c.Names(t))
		found, err := c.Call(t.Context(), "find_order", map[string]any{"id": "1"})
		require.NoError(t, err)
		assert.False(t, sdktest.Parse(t, found).Result.IsError, found)
		asked, err := c.Call(t.Context(), "ask_name", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, "hello accept", firstText(t, asked))
		assert.EqualValues(t, 1, person.asked.Load())

		long := `{"id":"` + strings.Repeat("x", 8<<20) + `"}`
		body := sdktest.Message(t, e, 9, "tools/call", `{"name":"find_order","arguments":`+long+`}`)
		assert.Equal(t, 413, k.send(e, "alice", "tools/call", "find_order", body).Status, "bodies are bounded")
	})
}

func TestHandlerOf_RefusesAServerWithoutContracts(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, o := range []server{orders(s), s.Nil()} {
			_, err := o.HandlerOf()
			assert.Equal(t, []string{"serve.server"}, sdktest.Rules(err))
		}
	})
}
