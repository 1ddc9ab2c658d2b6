package sdks_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
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

func (b *booker) handle(_ context.Context, r request) (*result, error) {
	b.rounds.Add(1)
	given := func(name string) string {
		if a := r.response(name); a != nil && a.action == approves.action {
			text, _ := a.content[name].(string)
			return text
		}
		return ""
	}
	ask := func(name, state string) *result {
		f := form{"Which " + name + "?", map[string]string{name: "string"}, []string{name}}
		return &result{state: state, asks: map[string]form{name: f}}
	}
	if city := given("city"); city != "" {
		return ask("day", "secret city "+city), nil
	}
	if day := given("day"); day != "" {
		b.booked.Add(1)
		return &result{text: "booked" + strings.TrimPrefix(r.state, "secret city") + " " + day}, nil
	}
	return ask("city", "secret start"), nil
}

func (b *booker) tool(s sdk, opts ...wrap.Option) *wrap.Builder {
	tool := plain("book")
	tool.input = `{"type":"object","properties":{"for":{"type":"string"}}}`
	return s.Wrap(tool, b.handle, opts...).
		Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
}

// A traveller answers the questions of a booker and of the guard, and records
// them in order.
type traveller struct {
	person

	asked    []string
	answered func(name string) // nil: nothing happens
}

func newTraveller() *traveller {
	p := &traveller{}
	p.answer = func(_ context.Context, q question) answer {
		schema, err := json.Marshal(q.schema)
		if err != nil {
			return answer{}
		}
		for name, value := range map[string]any{"city": "Rome", "day": "Monday", people.ConfirmKey: true} {
			if strings.Contains(string(schema), `"`+name+`"`) {
				p.asked = append(p.asked, name)
				if p.answered != nil {
					p.answered(name)
				}
				return answer{approves.action, map[string]any{name: value}}
			}
		}
		return cancels
	}
	return p
}

var forAnn = map[string]any{"for": "Ann"}

func TestRounds_AHandlerAsksTheClientInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		b, p := &booker{}, newTraveller()
		k := newKit(t, s, asWritten(b.tool(s, wrap.WithRounds(2)).MustBuild()))
		raw, err := k.client(e, "alice", &p.person).Call(t.Context(), "book", forAnn)
		require.NoError(t, err)
		assert.Equal(t, "booked Rome Monday", firstText(t, raw))
		assert.Equal(t, []string{"city", "day"}, p.asked)
		assert.EqualValues(t, 3, b.rounds.Load())
		terminal, asked := k.events(audit.Terminal), k.log.Events(audit.Asked)
		require.Len(t, terminal, 1)
		require.Len(t, asked, 2)
		assert.Equal(t, terminal[0].CallID, asked[0].CallID, "all rounds are one call")
		assert.Equal(t, terminal[0].CallID, asked[1].CallID)
	})
}

// The guard's question comes first, once for all rounds. The outcome is
// recorded under the call's key.
func TestRounds_ComeAfterConfirmationAndEndInOneOutcome(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		b, p := &booker{}, newTraveller()
		k := newKit(t, s, asWritten(b.tool(s, wrap.WithRounds(2)).ConfirmAlways().
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: false}).MustBuild()))
		c := k.client(e, "alice", &p.person)
		for _, status := range []contract.Status{contract.StatusOK, contract.StatusReplayed} {
			raw, err := c.Call(t.Context(), "book", forAnn)
			require.NoError(t, err)
			assert.Equal(t, status, sdktest.Outcome(t, raw).Status)
			assert.Equal(t, "booked Rome Monday", firstText(t, raw))
		}
		assert.Equal(t, []string{people.ConfirmKey, "city", "day"}, p.asked)
		assert.EqualValues(t, 1, b.booked.Load())
	})
}

func TestRounds_AreRefusedUnlessTheyAreDeclared(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for name, opts := range map[string][]wrap.Option{"none": nil, "one of two": {wrap.WithRounds(1)}} {
			b := &booker{}
			k := newKit(t, s, asWritten(b.tool(s, opts...).MustBuild()))
			raw, err := k.client(e, "alice", &newTraveller().person).Call(t.Context(), "book", map[string]any{})
			require.NoError(t, err)
			assert.Equal(t, contract.CodeInternalError, sdktest.Outcome(t, raw).Code, name)
			assert.Zero(t, b.booked.Load())
		}
		for _, rounds := range []int{-1, 0, 11} {
			_, err := (&booker{}).tool(s, wrap.WithRounds(rounds)).Build()
			assert.Equal(t, []string{"serve.rounds book"}, sdktest.Rules(err))
		}
	})
}

func TestRounds_AClientWithoutTheCapabilityIsRefused(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		b := &booker{}
		k := newKit(t, s, asWritten(b.tool(s, wrap.WithRounds(2)).MustBuild()))
		raw, err := k.client(e, "alice", nil).Call(t.Context(), "book", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeConfirmationRequired, sdktest.Outcome(t, raw).Code)
		assert.Zero(t, b.booked.Load())
	})
}

// A condition that becomes true between two rounds requires a person, although
// the first round required none.
func TestRounds_AConditionThatBecomesTrueNeedsAPerson(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var limited atomic.Bool
		b, p := &booker{}, newTraveller()
		p.answered = func(name string) { limited.Store(limited.Load() || name == "city") }
		k := newKit(t, s, asWritten(b.tool(s, wrap.WithRounds(2)).ConfirmWhen(func(json.RawMessage) bool {
			return limited.Load()
		}).MustBuild()))
		c := k.client(e, "alice", &p.person)
		_, err := c.Call(t.Context(), "book", forAnn)
		require.Error(t, err)
		assert.Equal(t, []string{"city"}, p.asked)
		assert.EqualValues(t, 1, b.rounds.Load())

		_, err = c.Call(t.Context(), "book", forAnn)
		require.NoError(t, err)
		assert.Equal(t, []string{"city", people.ConfirmKey, "city", "day"}, p.asked)
		assert.EqualValues(t, 1, b.booked.Load(), "an approval counts for all rounds")
	})
}

// A handler that asks within the call needs no option, as long as the client
// can be asked that way.
func TestWrap_AHandlerCanAskWithinTheCall(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wrapRead(s, plain("ask"), func(ctx context.Context, r request) (*result, error) {
			given, err := r.ask(ctx, form{"Which city?", map[string]string{"city": "string"}, []string{"city"}})
			if err != nil {
				return nil, err
			}
			city, _ := given.content["city"].(string)
			return &result{text: city}, nil
		}).MustBuild()))
		raw, err := k.client(legacy, "alice", &newTraveller().person).Call(t.Context(), "ask", nil)
		require.NoError(t, err)
		assert.Equal(t, "Rome", firstText(t, raw))
	})
}
