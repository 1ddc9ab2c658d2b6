package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// echo is the definition of a tool that was written for an SDK.
var echo = adapter.Definition{
	Name: "echo", Title: "Echo", Description: "Returns what it got.",
	InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","default":"hello"},` +
		`"n":{"type":"integer"}},` +
		`"additionalProperties":true}`),
}

func wrapTool(handler adapter.Handler, c adapter.WrapConfig) *wrap.Builder {
	return adapter.Wrap(echo, handler, c).Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// wrapTable returns a table of the one wrapped tool.
func wrapTable(t *testing.T, b *wrap.Builder) (*adapter.Table, *audit.Recorder) {
	t.Helper()
	tool, err := b.Build()
	require.NoError(t, err)
	return newTable(t, adapter.Config{Tools: []*contract.Tool{tool}})
}

func result(r adapter.HandlerResult, err error) adapter.Handler {
	return func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) { return &r, err }
}

func text(s string) []contract.Content { return []contract.Content{contract.TextContent{Text: s}} }

func TestWrap_GivesTheHandlerTheCheckedCall(t *testing.T) {
	t.Parallel()
	var got adapter.HandlerCall
	table, _ := wrapTable(t, wrapTool(func(_ context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		got = call
		return &adapter.HandlerResult{}, nil
	}, adapter.WrapConfig{}))
	header, meta := http.Header{"Authorization": {"Bearer bob"}}, map[string]any{"progressToken": "p"}
	send(adapter.WithCaller(t.Context(), adapter.Caller{Header: header}), t, table, "echo", adapter.Request{
		Arguments: json.RawMessage(`{"n":18446744073709551615}`), Meta: meta,
		Client: adapter.Client{Answers: map[string]json.RawMessage{"a": nil}},
	})
	assert.Equal(t, "echo", got.Name)
	assert.JSONEq(t, `{"n":18446744073709551615}`, string(got.Arguments), "no default is filled in")
	assert.Contains(t, string(got.Arguments), "18446744073709551615", "all digits")
	assert.Equal(t, meta, got.Meta)
	assert.Equal(t, header, got.Header)
	assert.Empty(t, got.State)
	assert.Empty(t, got.Responses, "nothing was asked")
}

func TestWrap_FillsDefaultsOnlyIfTheAuthorDeclaresIt(t *testing.T) {
	t.Parallel()
	for want, options := range map[string][]wrap.Option{`{}`: nil, `{"text":"hello"}`: {wrap.WithDefaults()}} {
		c, _ := adapter.WrapConfigOf[func()](options)
		var got string
		table, _ := wrapTable(t, wrapTool(func(_ context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
			got = string(call.Arguments)
			return &adapter.HandlerResult{}, nil
		}, c))
		require.False(t, call(t.Context(), t, table, "echo", `{}`).IsError)
		assert.Equal(t, want, got)
	}
}

func TestWrap_RefusesIntegersThatTheHandlerMisreads(t *testing.T) {
	t.Parallel()
	all := []string{"1", "9007199254740993", "18446744073709551615"}
	accepted := map[adapter.Integers][]string{
		0:                       all,
		adapter.Int64Integers:   {"1", "9007199254740993"},
		adapter.Float64Integers: {"1"},
	}
	for integers, exact := range accepted {
		table, _ := wrapTable(t, wrapTool(result(adapter.HandlerResult{}, nil), adapter.WrapConfig{Integers: integers}))
		for _, n := range all {
			outcome := call(t.Context(), t, table, "echo", `{"n":`+n+`}`).Outcome
			if slices.Contains(exact, n) {
				assert.Empty(t, outcome.Code, "%v %s", integers, n)
				continue
			}
			require.Len(t, outcome.Violations, 1, "%v %s", integers, n)
			assert.Equal(t, "schema.exact", outcome.Violations[0].Rule)
		}
		misspelt := call(t.Context(), t, table, "echo", `{"TEXT":"a"}`).Outcome
		require.Len(t, misspelt.Violations, 1)
		assert.Equal(t, "schema.spelling", misspelt.Violations[0].Rule)
	}
}

func TestWrap_ReturnsWhatTheHandlerReturned(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	declared := contract.Retryable("no_paper", "There is no paper.")
	for name, c := range map[string]struct {
		handler adapter.Handler
		code    string
		text    string
	}{
		"content":            {result(adapter.HandlerResult{Content: text("a")}, nil), "", "a"},
		"structured content": {result(adapter.HandlerResult{Structured: json.RawMessage(`{"a":1}`)}, nil), "", `{"a":1}`},
		"nothing":            {result(adapter.HandlerResult{}, nil), "", "ok"},
		"no result": {func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) { return nil, nil },
			contract.CodeInternalError, ""},
		"an error": {result(adapter.HandlerResult{}, broken), contract.CodeInternalError, ""},
		"a refusal": {result(adapter.HandlerResult{}, adapter.Refusal(contract.CodeInvalidInput, broken)),
			contract.CodeInvalidInput, ""},
		"an unread part": {result(adapter.HandlerResult{Content: text("a"), Unread: broken}, nil), contract.CodeOutputInvalid,
			""},
		"an undeclared error": {result(adapter.HandlerResult{Content: text("a"), IsError: true}, nil), contract.CodeToolRetry,
			"tool_retry: a"},
		"a declared failure": {result(adapter.HandlerResult{Content: text("a"), IsError: true, Failure: declared}, nil), "no_paper",
			"no_paper: There is no paper."},
		"a nil failure": {result(adapter.HandlerResult{IsError: true, Failure: (*contract.Failure)(nil)}, nil),
			contract.CodeToolRetry, "tool_retry: the tool gave no reason"},
		"an error of the protocol, wrapped": {result(adapter.HandlerResult{}, fmt.Errorf("x: %w", &adapter.RPCError{Code: -1})),
			contract.CodeInternalError, ""},
		"a failure, as error": {result(adapter.HandlerResult{}, declared.Errorf("All is used.")), "no_paper",
			"no_paper: All is used."},
		"unread, in an error": {result(adapter.HandlerResult{IsError: true, Failure: declared, Unread: broken}, nil), "no_paper",
			"no_paper: There is no paper."},
		"requests, not agreed": {result(adapter.HandlerResult{Requests: json.RawMessage(`{}`)}, nil), contract.CodeInternalError, ""},
		"a state, not agreed":  {result(adapter.HandlerResult{State: "s"}, nil), contract.CodeInternalError, ""},
	} {
		table, _ := wrapTable(t, wrapTool(c.handler, adapter.WrapConfig{}).Failures(declared))
		answer := call(t.Context(), t, table, "echo", `{}`)
		assert.Equal(t, c.code, answer.Outcome.Code, name)
		assert.Equal(t, c.code != "", answer.IsError, name)
		if c.code == "" || c.text != "" {
			assert.Equal(t, c.text, textOf(answer), name)
		}
	}
}

// A nil failure in an interface is not nil, and would make the call a success.
func TestWrap_TakesANilFailureForNone(t *testing.T) {
	t.Parallel()
	for _, none := range []error{nil, (*contract.Failure)(nil), (*contract.Error)(nil)} {
		table, _ := wrapTable(t, wrapTool(result(adapter.HandlerResult{Content: text("a"), IsError: true, Failure: none}, nil),
			adapter.WrapConfig{}).
			OtherErrors(contract.ClassFatal))
		answer := call(t.Context(), t, table, "echo", `{}`)
		assert.Equal(t, contract.CodeToolFatal, answer.Outcome.Code)
		assert.Equal(t, "[FATAL] tool_fatal: a", textOf(answer))
	}
}

func TestWrap_TakesHandlersThatAskForAnInput(t *testing.T) {
	t.Parallel()
	rounds := 1
	table, _ := wrapTable(t, wrapTool(func(_ context.Context, c adapter.HandlerCall) (*adapter.HandlerResult, error) {
		if c.State == "" {
			return &adapter.HandlerResult{Requests: json.RawMessage(`{"name":{"method":"elicitation/create",` +
				`"params":{"message":"Who?"}}}`), State: "asked"}, nil
		}
		return &adapter.HandlerResult{Content: text(c.State + " " + string(c.Responses["name"]))}, nil
	}, adapter.WrapConfig{Rounds: &rounds}))
	client := adapter.Client{Capabilities: forms, Modern: true}
	asked := send(t.Context(), t, table, "echo", adapter.Request{Client: client})
	assert.Equal(t, contract.StatusAsked, asked.Outcome.Status)
	assert.JSONEq(t, `{"name":{"method":"elicitation/create","params":{"message":"Who?"}}}`, string(asked.Requests))
	assert.NotContains(t, asked.State, "asked", "the state is sealed")
	client.State = asked.State
	client.Answers = map[string]json.RawMessage{"name": json.RawMessage(`{"action":"accept"}`), "other": json.RawMessage(`{}`)}
	answer := send(t.Context(), t, table, "echo", adapter.Request{Client: client})
	assert.Equal(t, `asked {"action":"accept"}`, textOf(answer))

	older := adapter.Client{Capabilities: forms}
	older.Send = func(_ context.Context, method string, p json.RawMessage) (json.RawMessage, error) {
		assert.Equal(t, "elicitation/create", method)
		assert.JSONEq(t, `{"message":"Who?"}`, string(p))
		return json.RawMessage(`{"action":"accept"}`), nil
	}
	answer = send(t.Context(), t, table, "echo", adapter.Request{Client: older})
	assert.Equal(t, `asked {"action":"accept"}`, textOf(answer))
	for name, client := range map[string]adapter.Client{
		"cannot be asked": {Modern: true}, "only opens addresses": {Modern: true, Capabilities: urls},
		"cannot answer later": {Capabilities: forms},
	} {
		assert.Equal(t, contract.CodeConfirmationRequired, send(t.Context(), t, table, "echo",
			adapter.Request{Client: client}).Outcome.Code, name)
	}
}

func TestWrap_ReportsMistakes(t *testing.T) {
	t.Parallel()
	for _, rounds := range []int{-1, 0, 11} {
		_, err := wrapTool(result(adapter.HandlerResult{}, nil), adapter.WrapConfig{Rounds: &rounds}).Build()
		assert.Equal(t, []string{"serve.rounds echo"}, rules(err))
	}
	_, err := wrapTool(nil, adapter.WrapConfig{Mistakes: []*contract.DeclarationError{{Rule: "serve.option", Where: "Wrap",
		Message: "m",
		Remedy:  "r"}}}).Build()
	assert.Contains(t, rules(err), "serve.option echo")
	assert.Len(t, rules(err), 2, "the handler is nil")
}

func TestDefinition_CleansTexts(t *testing.T) {
	t.Parallel()
	d := echo
	d.Title, d.InputSchema = "E\u202ecHo", json.RawMessage(`{"type":"object","title":"a\u200b"}`)
	cleaned, texts := d.CleanTexts()
	assert.Equal(t, 2, texts)
	assert.Equal(t, "EcHo", cleaned.Title)
	assert.JSONEq(t, `{"type":"object","title":"a"}`, string(cleaned.InputSchema))
	assert.Nil(t, cleaned.OutputSchema)
	assert.Equal(t, "E\u202ecHo", d.Title)
}

func TestAnnotate_PublishesClausesAndEnforcesNothing(t *testing.T) {
	t.Parallel()
	shared := map[string]any{"example.com/a": 1}
	d := adapter.Definition{Name: "echo", Description: "Echoes.", Meta: shared}
	require.NoError(t, adapter.Annotate(&d, contract.Base{Effect: risk.ReadOnly}))
	assert.Len(t, shared, 1)
	assert.Contains(t, d.Meta, contract.MetaKeyContract)
	assert.True(t, *d.Annotations.ReadOnlyHint)

	yes := true
	d = adapter.Definition{Name: "echo", Description: "Echoes.", Annotations: adapter.ToolAnnotations{ReadOnlyHint: &yes}}
	before := d
	assert.Equal(t, []string{"annotate.contradiction echo"}, rules(adapter.Annotate(&d, contract.Base{Effect: risk.Destructive})))
	assert.Equal(t, before, d)
	assert.Equal(t, []string{"annotate.forbidden echo"}, rules(adapter.Annotate(&d, contract.Base{Risk: risk.Forbidden})))
	d.Title = "a\u200b"
	assert.Equal(t, []string{"text.form echo"}, rules(adapter.Annotate(&d, contract.Base{})))
	assert.Equal(t, []string{"annotate.nil "}, rules(adapter.Annotate(nil, contract.Base{})))
}

// textOf returns the text of the first item of an answer.
func textOf(a *adapter.CallResult) string {
	text, _ := a.Content[0].(contract.TextContent)
	return text.Text
}

// An error mapper of one SDK cannot read the results of another.
func TestWrapConfigOf_RefusesTheErrorMapperOfAnotherSDK(t *testing.T) {
	t.Parallel()
	mapper := func(s *wrap.Settings) { s.ErrorMapper = func(string) error { return nil } }
	c, own := adapter.WrapConfigOf[func(string) error]([]wrap.Option{mapper})
	assert.NotNil(t, own)
	assert.Empty(t, c.Mistakes)
	c, other := adapter.WrapConfigOf[func(int) error]([]wrap.Option{mapper})
	assert.Nil(t, other)
	_, err := wrapTool(result(adapter.HandlerResult{}, nil), c).Build()
	assert.Equal(t, []string{"serve.option echo"}, rules(err))
}
