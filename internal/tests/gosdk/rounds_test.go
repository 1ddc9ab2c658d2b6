package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A booker is a handler of three rounds: it asks for the city, then for the
// day, and then books. It carries the city in its state.
type booker struct {
	rounds, booked atomic.Int64
}

func askFor(name, state string) *mcp.CallToolResult {
	return &mcp.CallToolResult{RequestState: state, InputRequests: mcp.InputRequestMap{name: &mcp.ElicitParams{Message: "Which " +
		name + "?", RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}}, "required": []string{name},
	}}}}
}

func answerIn(req *mcp.CallToolRequest, key string) string {
	if r, ok := req.Params.InputResponses[key].(*mcp.ElicitResult); ok && r.Action == "accept" {
		text, _ := r.Content[key].(string)
		return text
	}
	return ""
}

func (b *booker) handle(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b.rounds.Add(1)
	city, day := answerIn(req, "city"), answerIn(req, "day")
	switch state := req.Params.RequestState; {
	case city != "":
		return askFor("day", "secret city "+city), nil
	case day != "":
		b.booked.Add(1)
		return text("booked" + strings.TrimPrefix(state, "secret city") + " " + day), nil
	}
	return askFor("city", "secret start"), nil
}

func (b *booker) tool(opts ...wrap.Option) *wrap.Builder {
	return gosdk.Wrap(plain("book", `"for":{"type":"string"}`), b.handle, opts...).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
}

// A traveller answers the questions of a booker and of the guard, and records
// them in their order.
type traveller struct{ asked []string }

func (p *traveller) options() *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		schema, err := json.Marshal(r.Params.RequestedSchema)
		if err != nil {
			return nil, err
		}
		for name, value := range map[string]any{"city": "Rome", "day": "Monday", people.ConfirmKey: true} {
			if strings.Contains(string(schema), `"`+name+`"`) {
				p.asked = append(p.asked, name)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{name: value}}, nil
			}
		}
		return nil, fmt.Errorf("unknown form %s", schema)
	}}
}

func TestRounds_AHandlerAsksTheClientInEachEra(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		b, p := &booker{}, &traveller{}
		k := newKit(t, []*contract.Tool{b.tool(wrap.WithRounds(2)).MustBuild()})
		r, err := callTool(t.Context(), connect(t, k.transport("alice"), e, p.options()), "book", map[string]any{"for": "Ann"})
		require.NoError(t, err)
		assert.Equal(t, "booked Rome Monday", textOf(t, r))
		assert.Equal(t, []string{"city", "day"}, p.asked)
		assert.EqualValues(t, 3, b.rounds.Load())
		terminal, asked := k.events(audit.Terminal), k.log.Events(audit.Asked)
		require.Len(t, terminal, 1)
		require.Len(t, asked, 2)
		assert.Equal(t, terminal[0].CallID, asked[0].CallID, "all rounds are one call")
	})
}

// The question of the guard comes first, once for all rounds. The outcome is
// recorded under the key of the call.
func TestRounds_ComeAfterConfirmationAndEndInOneOutcome(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		b, p := &booker{}, &traveller{}
		k := newKit(t, []*contract.Tool{b.tool(wrap.WithRounds(2)).ConfirmAlways().
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: false}).MustBuild()})
		c := connect(t, k.transport("alice"), e, p.options())
		for _, status := range []contract.Status{contract.StatusOK, contract.StatusReplayed} {
			r, err := callTool(t.Context(), c, "book", map[string]any{"for": "Ann"})
			require.NoError(t, err)
			assert.Equal(t, status, outcomeOf(t, r).Status)
			assert.Equal(t, "booked Rome Monday", textOf(t, r))
		}
		assert.Equal(t, []string{people.ConfirmKey, "city", "day"}, p.asked)
		assert.EqualValues(t, 1, b.booked.Load())
	})
}

func TestRounds_AreRefusedUnlessTheyAreDeclared(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		for name, opts := range map[string][]wrap.Option{"none": nil, "one of two": {wrap.WithRounds(1)}} {
			b := &booker{}
			k := newKit(t, []*contract.Tool{b.tool(opts...).MustBuild()})
			r, err := callTool(t.Context(), connect(t, k.transport("alice"), e, (&traveller{}).options()), "book", map[string]any{})
			require.NoError(t, err)
			assert.Equal(t, contract.CodeInternalError, outcomeOf(t, r).Code, name)
			assert.Zero(t, b.booked.Load())
		}
		b := &booker{}
		k := newKit(t, []*contract.Tool{b.tool(wrap.WithRounds(2)).MustBuild()})
		r, err := callTool(t.Context(), k.client(e, "alice"), "book", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeConfirmationRequired, outcomeOf(t, r).Code, "a client without the capability")
	})
	for _, rounds := range []int{-1, 0, 11} {
		_, err := (&booker{}).tool(wrap.WithRounds(rounds)).Build()
		assert.Equal(t, []string{"serve.rounds book"}, sdktest.Rules(err))
	}
}

// A typed handler that stays registered asks too.
func TestRounds_AnAdoptedHandlerAsksInEachEra(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		b, p := &booker{}, &traveller{}
		s := mcp.NewServer(&mcp.Implementation{Name: "travel", Version: "1.0.0"}, nil)
		type in struct {
			For string `json:"for,omitempty"`
		}
		once := func(ctx context.Context, req *mcp.CallToolRequest, _ in) (*mcp.CallToolResult, any, error) {
			if answerIn(req, "city") != "" {
				b.booked.Add(1)
				return text("booked " + answerIn(req, "city")), nil, nil
			}
			result, err := b.handle(ctx, req)
			return result, nil, err
		}
		mcp.AddTool(s, &mcp.Tool{Name: "book", Description: "Books."}, once)
		k := newKitOf(t, s)
		base := versioned()
		base.Effect = risk.LowRiskWrite
		_, err := gosdk.WrapAll(s, k.guard, wrap.Rules{Base: base, Options: []wrap.Option{wrap.WithRounds(2)}})
		require.NoError(t, err)
		r, err := callTool(t.Context(), connect(t, k.transport("alice"), e, p.options()), "book", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, "booked Rome", textOf(t, r))
		assert.Equal(t, []string{"city"}, p.asked)
		assert.EqualValues(t, 1, b.booked.Load())
	})
}
