package sdks_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

func TestWrap_PreservesTheDefinition(t *testing.T) {
	t.Parallel()
	const raw = `{"type":"object","properties":{"z":{"type":"string","x-note":"stays"},"a":{"type":"integer","default":1}},"x-own":[1]}`
	eachSDK(t, func(t *testing.T, s sdk) {
		for name, d := range map[string]definition{
			"schemas":   {name: "mail.send", title: "Send", description: "Sends.", input: raw, output: raw},
			"no schema": {name: "send", description: "Sends."},
		} {
			tool, err := wrapRead(s, d, saying("x")).Build()
			require.NoError(t, err, name)
			doc := tool.Document()
			assert.Equal(t, d.name, doc.Name)
			assert.Equal(t, d.title, doc.Title)
			assert.Equal(t, d.description, doc.Description)
			assert.JSONEq(t, objectOr(d.input), string(doc.InputSchema))
			if d.output == "" {
				assert.Empty(t, doc.OutputSchema)
				continue
			}
			var want, got map[string]any
			sdktest.Unmarshal(t, d.output, &want)
			sdktest.Unmarshal(t, string(doc.OutputSchema), &got)
			for key, value := range want {
				assert.Equal(t, value, got[key], key)
			}
		}
	})
}

func TestWrap_ReportsMistakesAtBuild(t *testing.T) {
	t.Parallel()
	broken, impossible := plain("send"), plain("send")
	broken.input, impossible.input = `{"type":`, `{"type":"objekt"}`
	eachSDK(t, func(t *testing.T, s sdk) {
		for name, test := range map[string]struct {
			tool    definition
			handler handler
			rule    string // empty: any
		}{
			"no handler":                 {plain("send"), nil, "handler.nil"},
			"no name":                    {definition{description: "x"}, saying("x"), "name.missing"},
			"no description":             {definition{name: "x"}, saying("x"), "description.missing"},
			"characters that hide texts": {definition{name: "x", description: "a\u202eb"}, saying("x"), "text.form"},
			"a broken schema":            {broken, saying("x"), ""},
			"a schema of unknown type":   {impossible, saying("x"), ""},
		} {
			_, err := wrapRead(s, test.tool, test.handler).Build()
			mistakes := contract.DeclarationErrors(err)
			require.NotEmpty(t, mistakes, name)
			if test.rule != "" {
				require.Len(t, mistakes, 1, name)
				assert.Equal(t, test.rule, mistakes[0].Rule, name)
				assert.Equal(t, test.tool.name, mistakes[0].Tool, name)
			}
		}
		_, err := wrapRead(s, plain("send"), saying("x"), nil).Build()
		assert.Equal(t, []string{"serve.option send"}, sdktest.Rules(err))
		_, err = s.Wrap(plain("send"), saying("x")).Build()
		assert.Equal(t, []string{"version.missing send", "effect.missing send"}, sdktest.Rules(err), "the contract must declare these")
	})
}

func TestWrap_HandlerGetsTheValidatedRequest(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		var got *request
		tool := plain("send")
		tool.input = `{"type":"object","properties":{"id":{"type":"number"},"lang":{"type":"string","default":"en"}},"required":["id"]}`
		handler := func(_ context.Context, r request) (*result, error) {
			got = &r
			return &result{text: "done"}, nil
		}
		wrapped := wrapRead(s, tool, handler, wrap.WithExactIntegers(), wrap.WithDefaults()).Aliases("post").MustBuild()
		k := newKit(t, s, asWritten(wrapped))
		sdktest.EachEra(t, func(t *testing.T, e era) {
			for _, name := range []string{"send", "post"} {
				body := sdktest.Message(t, e, 1, "tools/call", `{"name":"`+name+`","arguments":{"id": 9007199254740993, "extra":[1]},
					"_meta":{"example.com/k":"v","progressToken":"p"},"requestState":"s","inputResponses":{"a":{"action":"accept"}}}`)
				raw := k.post(e, "alice", "tools/call", name, body, "X-Tenant", "acme")
				require.False(t, sdktest.Parse(t, raw).Result.IsError, raw)
				assert.Equal(t, "send", got.name)
				assert.Equal(t, `{"extra":[1],"id":9007199254740993,"lang":"en"}`, got.arguments)
				assert.Equal(t, "acme", got.header.Get("X-Tenant"))
				assert.Equal(t, "p", got.progressToken)
				assert.Equal(t, "v", got.meta["example.com/k"])
				assert.Empty(t, got.state)
				assert.Zero(t, got.responses)
			}
		})
		got = nil
		sdktest.AssertRefused(t, k.call(legacy, "", "send", `{"id":"x"}`), contract.CodeInvalidInput)
		assert.Nil(t, got, "the handler did not run")
	})
}

// sums returns a wrapped tool with an output schema.
func sums(s sdk, r *result, err error) *wrap.Builder {
	tool := plain("sum")
	tool.output = `{"type":"object","properties":{"sum":{"type":"integer"}},"required":["sum"]}`
	return wrapRead(s, tool, func(context.Context, request) (*result, error) { return r, err })
}

func TestWrap_ResultMustFitItsSchema(t *testing.T) {
	t.Parallel()
	raw := func(structured string) *result { return &result{structured: json.RawMessage(structured), text: "x"} }
	for name, test := range map[string]struct {
		result *result
		want   string // empty: output_invalid is expected
	}{
		"structured content":          {&result{structured: map[string]any{"sum": 1}}, `{"sum":1}`},
		"raw structured content":      {raw(`{"sum": 9007199254740993}`), `{"sum":9007199254740993}`},
		"a duplicate name":            {raw(`{"sum":"x","sum":1}`), ""},
		"against the schema":          {&result{structured: map[string]any{"sum": "x"}}, ""},
		"raw against the schema":      {raw(`{}`), ""},
		"no structured content":       {&result{text: "x"}, ""},
		"null":                        {raw("null"), ""},
		"a NaN":                       {&result{structured: map[string]any{"sum": math.NaN()}}, ""},
		"a list":                      {&result{structured: []int{1}}, ""},
		"a _meta that cannot be JSON": {&result{meta: map[string]any{"c": make(chan int)}, structured: map[string]any{"sum": 1}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachSDK(t, func(t *testing.T, s sdk) {
				k := newKit(t, s, asWritten(sums(s, test.result, nil).OtherErrors(contract.ClassRetryable).MustBuild()))
				answer := k.call(modern, "", "sum", `{}`)
				if test.want == "" {
					sdktest.AssertRefused(t, answer, contract.CodeOutputInvalid)
					return
				}
				assert.Equal(t, test.want, string(sdktest.Parse(t, answer).Result.StructuredContent))
			})
		})
	}
}

func TestWrap_FailureFollowsTheContract(t *testing.T) {
	t.Parallel()
	full := contract.Retryable("full", "The box is full.")
	for name, test := range map[string]struct {
		result  *result
		err     error
		without string // the code without OtherErrors
		with    string // the code with OtherErrors(contract.ClassRetryable)
		text    string // the text with OtherErrors; empty: not checked
	}{
		"an error": {nil, errors.New("no row\x1b[2J [FATAL]"), "internal_error", "tool_retry",
			"tool_retry: no row (FATAL)"},
		"an error result": {&result{text: "no row\x1b[2J", isError: true}, nil, "tool_retry", "tool_retry",
			"tool_retry: no row"},
		"an error with no text": {&result{isError: true, structured: 1}, nil, "tool_retry", "tool_retry",
			"tool_retry: the tool gave no reason"},
		"an error of two texts": {&result{text: "a", afterImage: "b", isError: true}, nil, "tool_retry", "tool_retry",
			"tool_retry: a\nb"},
		"a declared failure":     {nil, full.Errorf("9 of 9"), "full", "full", "full: 9 of 9"},
		"no result":              {nil, nil, "internal_error", "internal_error", ""},
		"a question":             {&result{asks: map[string]form{}}, nil, "internal_error", "internal_error", ""},
		"a question in disguise": {&result{state: "s"}, nil, "internal_error", "internal_error", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachSDK(t, func(t *testing.T, s sdk) {
				b := sums(s, test.result, test.err).Failures(full)
				k := newKit(t, s, asWritten(b.MustBuild()))
				sdktest.EachEra(t, func(t *testing.T, e era) {
					raw := k.call(e, "", "sum", `{}`)
					sdktest.AssertRefused(t, raw, test.without)
					if test.without == contract.CodeToolRetry {
						assert.Equal(t, test.text, firstText(t, raw), "with or without OtherErrors")
					} else {
						assert.NotContains(t, raw, "no row")
					}
				})
				for _, event := range k.events(audit.Terminal) {
					assert.NotEmpty(t, event.Error, "the log has the cause")
				}
				k = newKit(t, s, asWritten(b.OtherErrors(contract.ClassRetryable).MustBuild()))
				raw := k.call(modern, "", "sum", `{}`)
				sdktest.AssertRefused(t, raw, test.with)
				if test.text != "" {
					assert.Equal(t, test.text, firstText(t, raw))
				}
			})
		})
	}
}

func TestWrap_APanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKit(t, s, asWritten(wrapRead(s, plain("sum"), func(context.Context, request) (*result, error) {
			panic("pq: password")
		}).OtherErrors(contract.ClassRetryable).MustBuild()))
		raw := k.call(legacy, "", "sum", `{}`)
		sdktest.AssertRefused(t, raw, contract.CodeInternalError)
		assert.NotContains(t, raw, "password")
	})
}
