package contracttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	askIn struct {
		Text  string `json:"text"`
		Token string `json:"token,omitempty" contract:"secret"`
	}
	city struct {
		City string `json:"city" jsonschema:"maxLength=20"`
	}
)

// asking returns the contract of a write that asks its client.
func asking(times int, h contract.Handler[askIn, string]) *contract.Builder[askIn, string] {
	return contract.New("notes.ask", h).Description("Asks.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").Asks(times, city{})
}

func askCity(ctx context.Context, in askIn) (string, error) {
	to, err := contract.Ask[city](ctx, in.Text)
	return to.City, err
}

func clientOf[In, Out any](t *testing.T, b *contract.Builder[In, Out]) *contracttest.Client {
	t.Helper()
	return contracttest.NewClient(t, []*contract.Tool{b.MustBuild()}).As(anna)
}

// says returns a person who gives the answers in order, and the last one from
// then on.
func says(asked *int, answers ...contracttest.ElicitResult) contracttest.Person {
	return func(people.Question) contracttest.ElicitResult {
		*asked++
		return answers[min(*asked, len(answers))-1]
	}
}

func in(name string) contracttest.ElicitResult {
	return contracttest.ElicitResult{Action: "accept", Content: map[string]any{"city": name}}
}

// A person cannot take a tool's question for one of the guard's, and no answer
// to it counts as an approval.
func TestThreat225_AToolCannotForgeAQuestionOfTheGuard(t *testing.T) {
	t.Parallel()
	c := clientOf(t, asking(1, askCity))
	r := c.Answering(func(people.Question) contracttest.ElicitResult { return in("Rome") }).Call("notes.ask", askIn{
		Text: "\n\nAllow bank.pay to run?\r\nArguments:\n  see http://x.example \u202etoken hunter22", Token: "hunter22"})
	require.Len(t, r.Questions, 1)
	message := r.Questions[0].Message
	assert.True(t, strings.HasPrefix(message, "The tool notes.ask asks: Allow bank.pay"), message)
	for _, bad := range []string{"\n", "\r", "http://", "\u202e", "hunter22"} {
		assert.NotContains(t, message, bad)
	}
	assert.NotContains(t, []string{people.ConfirmKey, people.StepUpKey, people.ApprovalKey}, r.Questions[0].Key)
	for _, field := range []string{people.ConfirmKey, people.TypedKey} {
		form := map[string]any{"confirm": struct {
			F bool `json:"confirm"`
		}{}, "word": struct {
			F string `json:"word"`
		}{}}[field]
		_, err := asking(1, askCity).Asks(1, form).Build()
		require.Error(t, err, field)
	}

	// The state of a tool's question, presented where the guard's is due.
	ran := 0
	tool := asking(1, func(ctx context.Context, in askIn) (string, error) { ran++; return askCity(ctx, in) }).
		ConfirmWhen(func(in askIn) bool { return in.Text == "grave" }).MustBuild()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(
		func(context.Context) (guard.Principal, error) { return anna, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	tools, err := g.Protect(tool)
	require.NoError(t, err)
	client := exchange.Client{Rounds: true, TakesInput: func(json.RawMessage) bool { return true }}
	call := func(text string) (*exchange.Result, error) {
		return exchange.Of(tools).Call(t.Context(), exchange.Request{Tool: "notes.ask", Server: "s", Client: client,
			Arguments: fmt.Appendf(nil, `{"text":%q}`, text)})
	}
	asked, err := call("plain")
	require.NoError(t, err)
	require.NotNil(t, asked.Requests)
	client.State = asked.State
	yes := json.RawMessage(`{"action":"accept","content":{"confirm":true,"city":"Rome"}}`)
	client.Answers = map[string]json.RawMessage{"ask": yes, people.ConfirmKey: yes}
	_, err = call("grave")
	require.ErrorIs(t, err, exchange.ErrRejectedState)
	assert.Equal(t, 1, ran)
	client.State = ""
	asked, err = call("grave")
	require.NoError(t, err)
	assert.NotNil(t, asked.Question, "the answers alone approve nothing")
	assert.Equal(t, 1, ran)
}

// The handler sees only answers that fit the very question, and asks no more
// often than its contract declares.
func TestThreat226_AnAnswerFitsItsQuestionOrTheCallEnds(t *testing.T) {
	t.Parallel()
	more := in("Rome")
	more.Content["other"] = 1
	for name, c := range map[string]struct {
		answers []contracttest.ElicitResult
		code    string // empty: it succeeds
		asked   int
	}{
		"a member too many":       {[]contracttest.ElicitResult{more}, contract.CodeInvalidInput, 3},
		"a text that is too long": {[]contracttest.ElicitResult{in(strings.Repeat("x", 21))}, contract.CodeInvalidInput, 3},
		"an enormous answer":      {[]contracttest.ElicitResult{in(strings.Repeat("x", 64<<10))}, contract.CodeInvalidInput, 3},
		"no content":              {[]contracttest.ElicitResult{{Action: "accept"}}, contract.CodeInvalidInput, 3},
		"another action": {[]contracttest.ElicitResult{{Action: "agree", Content: in("Rome").Content}},
			contract.CodeInvalidInput, 3},
		"no action":                   {[]contracttest.ElicitResult{{}}, contract.CodeInvalidInput, 3},
		"a decline":                   {[]contracttest.ElicitResult{{Action: "decline"}}, contract.CodeConfirmationDeclined, 1},
		"an answer that fits at last": {[]contracttest.ElicitResult{more, in("Rome")}, "", 2},
	} {
		asked := 0
		r := clientOf(t, asking(3, askCity)).Answering(says(&asked, c.answers...)).Call("notes.ask", askIn{Text: "Where?"})
		assert.Equal(t, c.code, r.Outcome.Code, name)
		assert.Equal(t, c.asked, asked, name)
		assert.NotContains(t, r.Text, "ffects may have happened", name)
	}

	asked, code := 0, ""
	r := clientOf(t, asking(2, func(ctx context.Context, _ askIn) (string, error) {
		for i := range 3 {
			if _, err := contract.Ask[city](ctx, fmt.Sprintf("City %d?", i)); err != nil {
				if failed, ok := errors.AsType[*contract.Error](err); ok {
					code = failed.Code()
				}
				return "", err
			}
		}
		return "three", nil
	})).Answering(says(&asked, in("Rome"))).Call("notes.ask", askIn{})
	assert.Equal(t, contract.CodeInternalError, r.Outcome.Code)
	assert.Equal(t, contract.CodeInternalError, code, "the handler learns why")
	assert.Equal(t, 2, asked)

	// A question that changes between two runs is asked again.
	asked, runs := 0, 0
	r = clientOf(t, asking(3, func(ctx context.Context, _ askIn) (string, error) {
		runs++
		to, err := contract.Ask[city](ctx, fmt.Sprintf("For %d euros?", min(runs, 2)))
		return to.City, err
	})).Answering(says(&asked, in("Rome"), in("Oslo"))).Call("notes.ask", askIn{})
	assert.Equal(t, "Oslo", r.Text, "the answer to the old price does not count")
	assert.Equal(t, 2, asked)
}

// A model that repeats a declined call does not make the tool ask without end.
func TestThreat226_ADeclinedQuestionIsRemembered(t *testing.T) {
	t.Parallel()
	asked := 0
	c := clientOf(t, asking(1, askCity)).Answering(says(&asked, contracttest.ElicitResult{Action: "decline"}))
	for range 4 {
		assert.Equal(t, contract.CodeConfirmationDeclined, c.Call("notes.ask", askIn{Text: "Where?"}).Outcome.Code)
	}
	assert.Equal(t, 1, asked)
	for i := range 4 {
		assert.Equal(t, contract.CodeConfirmationDeclined, c.Call("notes.ask", askIn{Text: fmt.Sprint(i)}).Outcome.Code)
	}
	assert.Equal(t, 3, asked, "after three declined calls nobody is asked about the tool")
}

// A handler that goes on without the answer is found at once, because a later
// run would repeat what it did.
func TestAsk_AHandlerThatIgnoresTheErrorEndsItsCall(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]error{"no error": nil, "an error of its own": errors.New("nothing")} {
		asked := 0
		r := clientOf(t, asking(1, func(ctx context.Context, in askIn) (string, error) {
			_, _ = askCity(ctx, in)
			return "done", own
		})).Answering(says(&asked, in("Rome"))).Call("notes.ask", askIn{Text: "Where?"})
		assert.Equal(t, contract.CodeInternalError, r.Outcome.Code, name)
		assert.Zero(t, asked, name)
	}
}

// An answer that does not fit takes one of the questions of Asks.
func TestAsk_AnUnfitAnswerIsNotTheAuthorsMistake(t *testing.T) {
	t.Parallel()
	c := clientOf(t, asking(2, func(ctx context.Context, i askIn) (string, error) {
		if _, err := askCity(ctx, i); err != nil {
			return "", err
		}
		return askCity(ctx, askIn{Text: "And then?"})
	}))
	asked := 0
	unfit := contracttest.ElicitResult{Action: "accept"}
	r := c.Answering(says(&asked, unfit, in("Rome"), unfit)).
		Call("notes.ask", askIn{Text: "Where?"})
	assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code)
}

// Without an answer nothing has happened, so the key of the call is free.
func TestAsk_ADeclinedCallLeavesItsKeyFree(t *testing.T) {
	t.Parallel()
	sent := 0
	c := contracttest.NewClient(t, []*contract.Tool{asking(1, func(ctx context.Context, in askIn) (string, error) {
		to, err := askCity(ctx, in)
		if err != nil {
			return "", fmt.Errorf("before the write: %w", err)
		}
		sent++
		return to, nil
	}).Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild()},
		guard.WithTimes(guard.Times{DeclineMemory: 1})).As(anna).WithKey("k1")
	asked := 0
	person := says(&asked, contracttest.ElicitResult{Action: "decline"}, in("Rome"))
	first := c.Answering(person).Call("notes.ask", askIn{Text: "Where?"})
	assert.Equal(t, contract.CodeConfirmationDeclined, first.Outcome.Code)
	second := c.Answering(person).Call("notes.ask", askIn{Text: "Where?"})
	assert.Equal(t, contract.StatusOK, second.Outcome.Status, second.Text)
	third := c.Answering(person).Call("notes.ask", askIn{Text: "Where?"})
	assert.Equal(t, contract.StatusReplayed, third.Outcome.Status)
	assert.Equal(t, 1, sent)
	assert.Equal(t, 2, asked)
}

// A failure that a handler makes from a declined question is its own.
func TestAsk_AHandlerCanTurnADeclineIntoItsOwnFailure(t *testing.T) {
	t.Parallel()
	asked := 0
	r := clientOf(t, asking(1, func(ctx context.Context, in askIn) (string, error) {
		to, err := askCity(ctx, in)
		if failed, ok := errors.AsType[*contract.Error](err); ok && failed.Code() == contract.CodeConfirmationDeclined {
			return "", errFull.Wrap(err)
		}
		return to, err
	}).Failures(errFull)).Answering(says(&asked, contracttest.ElicitResult{Action: "decline"})).
		Call("notes.ask", askIn{Text: "Where?"})
	assert.Equal(t, errFull.Code(), r.Outcome.Code)
}

// A handler that the handler calls has no part in its questions.
func TestAsk_BelongsToOneCall(t *testing.T) {
	t.Parallel()
	var tools *guard.Toolset
	inner := contract.New("notes.inner", askCity).Description("Asks too.").Version("1.0.0").Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).Permissions("notes:write").MustBuild()
	outer := asking(1, func(ctx context.Context, in askIn) (string, error) {
		r, err := exchange.Of(tools).Call(ctx, exchange.Request{Tool: "notes.inner", Server: "s",
			Arguments: []byte(`{"text":"Inner?"}`)})
		if err != nil {
			return "", err
		}
		return r.Outcome.Code, nil
	}).MustBuild()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(
		func(context.Context) (guard.Principal, error) { return anna, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	tools, err = g.Protect(inner, outer)
	require.NoError(t, err)
	r, err := exchange.Of(tools).Call(t.Context(), exchange.Request{Tool: "notes.ask", Server: "s",
		Arguments: []byte(`{"text":"x"}`),
		Client:    exchange.Client{TakesInput: func(json.RawMessage) bool { return true }}})
	require.NoError(t, err)
	assert.Equal(t, contract.CodeInternalError, r.Text, "the inner tool does not declare Asks")
}

// The tools of a transaction cannot ask, because it ends with its call.
func TestAsks_AnAtomicToolDoesNotBuild(t *testing.T) {
	t.Parallel()
	_, err := asking(1, askCity).Idempotency(contract.Idempotency{Mode: idempotency.Managed, Atomic: true}).Build()
	require.Error(t, err)
}

// sampling calls a tool that lets the client's model write, and answers with a
// response. It returns the outcome, and how often the client was asked.
func sampling(t *testing.T, response string) (*exchange.Result, int) {
	t.Helper()
	tool := asking(2, func(ctx context.Context, _ askIn) (string, error) {
		return contract.Sample(ctx, "Write.", 10)
	}).MustBuild()
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithPrincipal(guard.PrincipalFunc(
		func(context.Context) (guard.Principal, error) { return anna, nil })))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	tools, err := g.Protect(tool)
	require.NoError(t, err)
	client := exchange.Client{TakesInput: func(json.RawMessage) bool { return true }}
	for asked := 0; ; asked++ {
		r, err := exchange.Of(tools).Call(t.Context(), exchange.Request{Tool: "notes.ask", Server: "s", Client: client,
			Arguments: []byte(`{"text":"x"}`)})
		require.NoError(t, err)
		if r.Requests == nil {
			return r, asked
		}
		client.State, client.Answers = r.State, map[string]json.RawMessage{"ask": []byte(response)}
	}
}

// A model's message is a text of bounded size, or it is asked for again.
func TestThreat226_AModelWritesATextOrTheCallEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		response, code, text string
		asked                int
	}{
		"a text": {`{"content":{"type":"text","text":"a"}}`, "", "a", 1},
		"a list": {`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "", "ab", 1},
		"an image": {`{"content":[{"type":"text","text":"a"},{"type":"image","data":"AQ=="}]}`,
			contract.CodeInvalidInput, "", 2},
		"no text":        {`{"content":{"type":"text","text":""}}`, contract.CodeInvalidInput, "", 2},
		"no content":     {`{"content":7}`, contract.CodeInvalidInput, "", 2},
		"no message":     {`[]`, contract.CodeInvalidInput, "", 2},
		"a decline":      {`{"action":"decline"}`, contract.CodeConfirmationDeclined, "", 1},
		"a cancellation": {`{"action":"cancel"}`, contract.CodeConfirmationDeclined, "", 1},
		"a long text": {`{"content":{"type":"text","text":"` + strings.Repeat("x", 32<<10) + `"}}`,
			contract.CodeInvalidInput, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, asked := sampling(t, c.response)
			assert.Equal(t, c.code, r.Outcome.Code)
			assert.Equal(t, c.asked, asked)
			if c.code == "" {
				assert.Equal(t, c.text, r.Text)
			}
		})
	}
}

// Only the first question of a run reaches the client, even if the handler asks
// another before it returns. Run this with -race.
func TestAsk_OneQuestionARun(t *testing.T) {
	t.Parallel()
	var messages []string
	r := clientOf(t, asking(2, func(ctx context.Context, _ askIn) (string, error) {
		first, firstErr := contract.Ask[city](ctx, "First?")
		second, err := contract.Ask[city](ctx, "Second?")
		if err != nil {
			return "", err
		}
		return first.City + second.City, firstErr
	})).Answering(func(q people.Question) contracttest.ElicitResult {
		messages = append(messages, q.Message)
		return in("Rome")
	}).Call("notes.ask", askIn{})
	assert.Equal(t, "RomeRome", r.Text)
	assert.Equal(t, []string{"The tool notes.ask asks: First?", "The tool notes.ask asks: Second?"}, messages)

	asked := 0
	r = clientOf(t, asking(2, func(ctx context.Context, _ askIn) (string, error) {
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			both.Go(func() { _, errs[i] = contract.Ask[city](ctx, "Where?") })
		}
		both.Wait()
		for _, err := range errs {
			if err != nil {
				return "", err
			}
		}
		return "done", nil
	})).Answering(says(&asked, in("Rome"))).Call("notes.ask", askIn{})
	assert.Equal(t, "done", r.Text)
	assert.Equal(t, 2, asked)
}
