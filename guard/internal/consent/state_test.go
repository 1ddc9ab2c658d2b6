package consent

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestState_IsClassifiedAtATime(t *testing.T) {
	t.Parallel()
	issued := time.UnixMilli(1_000_000)
	expires := issued.Add(time.Minute)
	tool := contract.New("a.b", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
		Description("Does nothing.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).MustBuild()
	plain := QuestionState{StateHeader: StateHeader{
		Issued: issued.UnixMilli(), Expires: expires.UnixMilli(), Contract: tool.Digest(), Terms: "t", Nonce: "n",
	}}
	with := func(change func(*QuestionState)) *QuestionState {
		s := plain
		change(&s)
		return &s
	}
	confirmed := with(func(s *QuestionState) { s.Confirmed = true })
	stepUp := with(func(s *QuestionState) { s.StepUp = "id" })
	both := with(func(s *QuestionState) { s.Confirmed, s.StepUp = true, "id" })
	for name, c := range map[string]struct {
		state *QuestionState
		now   time.Time
		want  stateKind
		auth  bool
	}{
		"no state":                  {nil, issued, noState, false},
		"a question":                {&plain, issued, askedState, false},
		"one tick before its issue": {&plain, issued.Add(-time.Millisecond), staleState, false},
		"one tick before its end":   {&plain, expires.Add(-time.Millisecond), askedState, false},
		"at its end":                {&plain, expires, staleState, false},
		"of another contract":       {with(func(s *QuestionState) { s.Contract = "d" }), issued, staleState, false},
		"of other terms":            {with(func(s *QuestionState) { s.Terms = "u" }), issued, staleState, false},
		"confirmed":                 {confirmed, issued, agreedState, false},
		"confirmed, at its end":     {confirmed, expires, staleState, false},
		"a step-up":                 {stepUp, issued, authAskedState, true},
		"a step-up, at its end":     {stepUp, expires, staleState, false},
		"a step-up after a form":    {both, issued, agreedState, true},
	} {
		call := &Subject{View: facts.View{Tool: &facts.ProtectedTool{Contract: tool}}, Terms: "t"}
		assert.Equal(t, c.want, classify(c.state, call, c.now), name)
		assert.Equal(t, c.auth, c.state.asksToAuthenticate(call, nil, c.now), name)
		assert.Equal(t, c.auth, c.state.asksToAuthenticate(call, &storedQuestion{ID: "n"}, c.now), name)
		assert.False(t, c.state.asksToAuthenticate(call, &storedQuestion{ID: "of another question"}, c.now), name)
	}
}
