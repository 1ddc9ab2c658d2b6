package sdks_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type parcel struct {
	ID string `json:"id"`
}

type address struct {
	City string `json:"city" jsonschema:"minLength=2"`
	Days int    `json:"days" jsonschema:"minimum=1,maximum=9"`
	Fast bool   `json:"fast,omitempty" jsonschema:"default=true"`
}

// A sender asks where a parcel goes, lets the client's model write a note, and
// then sends the parcel.
type sender struct{ runs, sent atomic.Int64 }

func (s *sender) send(ctx context.Context, in parcel) (string, error) {
	s.runs.Add(1)
	to, err := contract.Ask[address](ctx, "Where does "+in.ID+" go?")
	if err != nil {
		return "", err
	}
	note, err := contract.Sample(ctx, "Write a note for "+to.City+".", 50)
	if err != nil {
		return "", err
	}
	s.sent.Add(1)
	if to.Fast {
		note += " fast"
	}
	return note, nil
}

func (s *sender) tool() *contract.Builder[parcel, string] {
	return contract.New("parcels.send", s.send).Description("Sends a parcel.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").Asks(2, address{})
}

// A recipient gives one answer after the other, and writes as the model.
func recipient(prompts *[]string, answers ...answer) *person {
	p := &person{}
	p.answer = func(_ context.Context, q question) answer {
		p.last.Store(&q)
		if strings.HasPrefix(q.message, "Allow ") {
			return answer{approves.action, map[string]any{people.ConfirmKey: true}}
		}
		a := answers[min(int(p.asked.Add(1)), len(answers))-1]
		return a
	}
	p.writes = func(prompt string, tokens int) string {
		*prompts = append(*prompts, prompt)
		return strings.Repeat("To Rome!", min(tokens, 1))
	}
	return p
}

var toRome = answer{approves.action, map[string]any{"city": "Rome", "days": 2}}

func TestAsk_ATypedHandlerAsksAPersonAndAModelInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var prompts []string
		h, p := &sender{}, recipient(&prompts, toRome)
		k := newKit(t, s, asWritten(h.tool().MustBuild()))
		raw, err := k.client(e, "alice", p).Call(t.Context(), "parcels.send", parcel{ID: "p1"})
		require.NoError(t, err)
		assert.Equal(t, "To Rome! fast", firstText(t, raw), "the default of the form is filled in")
		assert.Equal(t, "The tool parcels.send asks: Where does p1 go?", p.last.Load().message)
		assert.Equal(t, []string{"Write a note for Rome."}, prompts)
		assert.EqualValues(t, 3, h.runs.Load())
		assert.EqualValues(t, 1, h.sent.Load())
		terminal, asked := k.events(audit.Terminal), k.log.Events(audit.Asked)
		require.Len(t, terminal, 1)
		require.Len(t, asked, 2)
		assert.Equal(t, terminal[0].CallID, asked[0].CallID, "all rounds are one call")
	})
}

// The guard's question comes first and counts for all runs. The outcome is
// recorded under the call's key.
func TestAsk_ComesAfterTheConfirmationAndEndsInOneOutcome(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var prompts []string
		h, p := &sender{}, recipient(&prompts, toRome)
		k := newKit(t, s, asWritten(h.tool().ConfirmAlways().
			Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild()))
		c := k.client(e, "alice", p)
		for _, status := range []contract.Status{contract.StatusOK, contract.StatusReplayed} {
			raw, err := c.Call(t.Context(), "parcels.send", parcel{ID: "p1"})
			require.NoError(t, err)
			assert.Equal(t, status, sdktest.Outcome(t, raw).Status, raw)
		}
		assert.EqualValues(t, 1, p.asked.Load(), "the form of the tool")
		assert.EqualValues(t, 1, h.sent.Load())
	})
}

func TestAsk_EndsTheCallWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		undeclared := answer{approves.action, map[string]any{"city": "Rome", "days": 2, "confirm": true}}
		for name, c := range map[string]struct {
			answer answer
			code   string
			class  contract.Class
			asked  int64
		}{
			"declined":  {declines, contract.CodeConfirmationDeclined, contract.ClassRetryable, 1},
			"cancelled": {cancels, contract.CodeConfirmationDeclined, contract.ClassRetryable, 1},
			"unfit":     {undeclared, contract.CodeInvalidInput, contract.ClassRetryable, 2},
		} {
			var prompts []string
			h, p := &sender{}, recipient(&prompts, c.answer)
			k := newKit(t, s, asWritten(h.tool().MustBuild()))
			raw, err := k.client(e, "alice", p).Call(t.Context(), "parcels.send", parcel{ID: "p1"})
			require.NoError(t, err, name)
			assert.Equal(t, c.code, sdktest.Outcome(t, raw).Code, name)
			assert.Equal(t, c.class, sdktest.Outcome(t, raw).Class, name)
			assert.Equal(t, c.asked, p.asked.Load(), name)
			assert.Zero(t, h.sent.Load())
		}
		withoutModel := recipient(nil, toRome)
		withoutModel.writes = nil
		for _, p := range []*person{nil, withoutModel} {
			h := &sender{}
			k := newKit(t, s, asWritten(h.tool().MustBuild()))
			raw, err := k.client(e, "alice", p).Call(t.Context(), "parcels.send", parcel{ID: "p1"})
			require.NoError(t, err)
			assert.Equal(t, contract.CodeConfirmationRequired, sdktest.Outcome(t, raw).Code)
			assert.Zero(t, h.sent.Load())
		}
	})
}

// A handler can go on without an answer, if it tells the errors apart.
func TestAsk_AHandlerCanDoWithoutTheAnswer(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		tool := contract.New("parcels.track", func(ctx context.Context, _ parcel) (string, error) {
			to, err := contract.Ask[address](ctx, "Where?")
			if failed, ok := errors.AsType[*contract.Error](err); ok {
				return failed.Code(), nil
			}
			return to.City, err
		}).Description("Tracks a parcel.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Asks(1).MustBuild()
		k := newKit(t, s, asWritten(tool))
		for want, p := range map[string]*person{
			contract.CodeConfirmationRequired: nil,
			contract.CodeConfirmationDeclined: recipient(nil, declines),
			"Rome":                            recipient(nil, toRome),
		} {
			raw, err := k.client(e, "alice", p).Call(t.Context(), "parcels.track", parcel{ID: "p1"})
			require.NoError(t, err)
			assert.Equal(t, want, firstText(t, raw))
		}
	})
}
