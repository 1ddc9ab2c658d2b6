package sdks_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// asking returns the question of a server with its own confirmation: a form
// without fields, or one where the person agrees by fields of one type.
func asking(kind string, fields ...string) form {
	f := form{message: "The server asks.", fields: map[string]string{}}
	for _, name := range fields {
		f.fields[name] = kind
	}
	return f
}

// requiring returns the question with required fields.
func (f form) requiring(fields ...string) form {
	f.required = fields
	return f
}

func dropped(a answer, err error) (*result, error) {
	if err == nil && a.action == approves.action {
		return &result{text: "dropped"}, nil
	}
	return &result{text: "denied by the server"}, nil
}

// ownQuestions lists the ways a handler can ask by itself: within the call, as
// possible with clients older than 2026-07-28, and through its result.
var ownQuestions = map[string]func(form) handler{
	"within": func(f form) handler {
		return func(ctx context.Context, r request) (*result, error) { return dropped(r.ask(ctx, f)) }
	},
	"by result": func(f form) handler {
		return func(_ context.Context, r request) (*result, error) {
			if a := r.response("own"); a != nil {
				return dropped(*a, nil)
			}
			return &result{asks: map[string]form{"own": f}, state: "state"}, nil
		}
	},
}

// eachDropper runs a test for each SDK and era, for each way to ask in it, and
// for a tool that is wrapped or adopted by WrapAll.
func eachDropper(t *testing.T, f func(t *testing.T, e era, serve func(q form, base contract.Base, declare func(*wrap.Builder),
	opts ...wrap.Option) *kit)) {
	t.Helper()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for way, ask := range ownQuestions {
			if way == "within" && e == modern {
				continue // no SDK asks that way in that era
			}
			for _, adopted := range []bool{false, true} {
				f(t, e, func(q form, base contract.Base, declare func(*wrap.Builder), opts ...wrap.Option) *kit {
					opts = append(opts, wrap.WithRounds(2))
					if !adopted {
						b := s.Wrap(plain("drop"), ask(q), opts...).From(base)
						declare(b)
						return newKit(t, s, asWritten(b.MustBuild()))
					}
					o := s.Existing("orders", "", 0)
					o.AddTool(plain("drop"), ask(q))
					k := newKitOf(t, s, o)
					_, err := o.WrapAll(k.guard, wrap.Rules{Base: base, Options: opts,
						Tools: map[string]wrap.Rule{"drop": {Declare: declare}}}, options{})
					require.NoError(t, err)
					return k
				})
			}
		}
	})
}

// writing returns the base of a write that is confirmed in one way.
func writing(c contract.Confirmation) contract.Base {
	b := versioned()
	b.Effect, b.Confirmation = risk.LowRiskWrite, c
	return b
}

func TestOwnConfirmation_OneOfTheTwoAsks(t *testing.T) {
	t.Parallel()
	const always, never, byServer = contract.ConfirmationAlways, contract.ConfirmationNever, contract.ConfirmationUpstream
	const server, guard = "The server asks.", "Allow"
	none := []wrap.Option{}
	answers := []wrap.Option{wrap.WithAnsweredConfirmation()}
	named := []wrap.Option{wrap.WithAnsweredConfirmation("confirmed", "sure")}
	required := asking("boolean", "confirmed").requiring("confirmed")
	rows := map[string]struct {
		question     form
		confirmation contract.Confirmation
		opts         []wrap.Option
		asked        int64
		last         string // part of the last question
	}{
		"both without a rule":                    {asking(""), always, none, 2, server},
		"the contract":                           {asking(""), always, answers, 1, guard},
		"the contract, by a function":            {asking(""), 0, answers, 1, guard},
		"the server, by the contract":            {asking(""), byServer, none, 1, server},
		"the server, of a call without approval": {asking(""), never, answers, 1, server},
		"both, if the form has a field":          {asking("string", "confirm").requiring("confirm"), always, answers, 2, server},
		"both, if a field is required alone":     {asking("").requiring("force"), always, answers, 2, server},
		"the contract, by a field":               {required, always, named, 1, guard},
		"the contract, by one field of two":      {asking("boolean", "sure"), always, named, 1, guard},
		"both, without the name of the field":    {required, always, answers, 2, server},
		"both, if a field was not named":         {asking("boolean", "confirmed", "force"), always, named, 2, server},
		"both, if another field is required":     {asking("boolean", "confirmed").requiring("force"), always, named, 2, server},
		"both, if the field is a text":           {asking("string", "confirmed"), always, named, 2, server},
		"the server, by a field, unapproved":     {required, never, named, 1, server},
	}
	eachDropper(t, func(t *testing.T, e era, serve func(form, contract.Base, func(*wrap.Builder), ...wrap.Option) *kit) {
		for name, c := range rows {
			k := serve(c.question, writing(c.confirmation), func(b *wrap.Builder) {
				if c.confirmation == 0 {
					b.ConfirmWhen(func(json.RawMessage) bool { return true })
				}
			}, c.opts...)
			p := whoAgrees()
			raw, err := k.client(e, "alice", p).Call(t.Context(), "drop", nil)
			require.NoError(t, err, name)
			assert.Equal(t, "dropped", firstText(t, raw), name)
			assert.Equal(t, c.asked, p.asked.Load(), name)
			assert.Contains(t, p.last.Load().message, c.last, name)
		}
	})
}

// If the guard's question is declined, or no person can be asked, the call ends
// before the handler can ask.
func TestThreat161_NoConfirmationOfAServerIsAcceptedWithoutAPerson(t *testing.T) {
	t.Parallel()
	eachDropper(t, func(t *testing.T, e era, serve func(form, contract.Base, func(*wrap.Builder), ...wrap.Option) *kit) {
		for _, confirmation := range []contract.Confirmation{contract.ConfirmationAlways, contract.ConfirmationNever,
			contract.ConfirmationUpstream} {
			k := serve(asking(""), writing(confirmation), func(*wrap.Builder) {}, wrap.WithAnsweredConfirmation())
			p := whoAlways(declines)
			raw, err := k.client(e, "alice", p).Call(t.Context(), "drop", nil)
			require.NoError(t, err)
			assert.NotEqual(t, "dropped", firstText(t, raw))
			assert.EqualValues(t, 1, p.asked.Load())
			raw, err = k.client(e, "alice", nil).Call(t.Context(), "drop", map[string]any{"n": 2})
			require.NoError(t, err)
			assert.NotEqual(t, "dropped", firstText(t, raw))
			assert.EqualValues(t, 1, p.asked.Load())
		}
	})
}

func TestOwnConfirmation_ANamedFieldIsTrue(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		var got map[string]any
		ask := ownQuestions["by result"](asking("boolean", "confirmed", "sure"))
		k := newKit(t, s, asWritten(s.Wrap(plain("drop"), func(ctx context.Context, r request) (*result, error) {
			if a := r.response("own"); a != nil {
				got = a.content
			}
			return ask(ctx, r)
		}, wrap.WithRounds(2), wrap.WithAnsweredConfirmation("sure"), wrap.WithAnsweredConfirmation("confirmed")).
			From(writing(contract.ConfirmationAlways)).MustBuild()))
		raw, err := k.client(modern, "alice", whoAlways(approves)).Call(t.Context(), "drop", nil)
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
		assert.Equal(t, map[string]any{"confirmed": true, "sure": true}, got)
	})
}
