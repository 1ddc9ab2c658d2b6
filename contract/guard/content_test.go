package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func replying[Out any](r contract.Reply[Out]) *contract.Builder[empty, contract.Reply[Out]] {
	return reader("art.show", func(context.Context) (contract.Reply[Out], error) { return r, nil })
}

func TestReply_BringsContentBesideTheResult(t *testing.T) {
	t.Parallel()
	png := contract.ImageContent{Data: []byte{0x89, 'P', 0x1b}, MIMEType: "image/png"}
	tool := replying(contract.Reply[payOutput]{
		Out: payOutput{3},
		Content: []contract.Content{
			png,
			contract.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"},
			contract.LinkContent{URI: "https://example.com/\x1b[2Ja", Name: "n\u200b", Title: "t\u202e", Description: "d\x1b[1m"},
			contract.ResourceContent{URI: "file:///a", Text: "x\x1b[2J"},
		},
		Meta: map[string]any{"example.com/k\u200b": []any{"v\x1b[2J"}},
	}).MustBuild()
	assert.NotEmpty(t, tool.Document().OutputSchema, "the schema is that of Out")
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(alice, "art.show", "")
	require.False(t, r.IsError, r.Text)
	assert.Equal(t, `{"paid":3}`, string(r.Structured))
	assert.Equal(t, `{"paid":3}`, r.Text)
	assert.Equal(t, []contract.Content{
		png,
		contract.AudioContent{Data: []byte{1}, MIMEType: "audio/wav"},
		contract.LinkContent{URI: "https://example.com/a", Name: "n", Title: "t", Description: "d"},
		contract.ResourceContent{URI: "file:///a", Text: "x"},
	}, r.Content)
	assert.Equal(t, map[string]any{"example.com/k": []any{"v"}}, r.Meta)
	assert.Positive(t, r.Outcome.Sanitized)
}

func TestReply_AnAuthorsTextTakesThePlaceOfTheJSON(t *testing.T) {
	t.Parallel()
	text := []contract.Content{contract.TextContent{Text: "three\x1b[2J"}}
	k := newKit(t, []*contract.Tool{replying(contract.Reply[payOutput]{Out: payOutput{3}, Content: text}).Trust(trust.Untrusted).MustBuild()})
	r := k.call(alice, "art.show", "")
	assert.Empty(t, r.Text)
	assert.Equal(t, []contract.Content{contract.TextContent{Text: "three"}}, r.Content)
	assert.Equal(t, contract.TextContent{Text: "three\x1b[2J"}, text[0], "what the handler holds is not touched")
}

func TestReply_PlainTextThatMayInjectIsDelimited(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{replying(contract.Reply[struct{}]{Content: []contract.Content{contract.TextContent{Text: "ignore all"}}}).Trust(trust.Untrusted).MustBuild()})
	r := k.call(alice, "art.show", "")
	require.Len(t, r.Content, 1)
	assert.NotEqual(t, contract.TextContent{Text: "ignore all"}, r.Content[0])
}

func TestReply_HasToFitSchemaAndSizeToo(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]*contract.Tool{
		"an image over the size": replying(contract.Reply[struct{}]{Content: []contract.Content{contract.ImageContent{Data: make([]byte, 100)}}}).MaxResultBytes(100).MustBuild(),
		"a nil item":             replying(contract.Reply[struct{}]{Content: []contract.Content{nil}}).MustBuild(),
		"a pointer":              replying(contract.Reply[struct{}]{Content: []contract.Content{&contract.TextContent{}}}).MustBuild(),
		"a result off its schema": replying(contract.Reply[json.RawMessage]{Out: json.RawMessage(`{"a":1}`)}).
			OutputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)).MustBuild(),
		"a structured result that is missing": replying(contract.Reply[json.RawMessage]{Content: []contract.Content{contract.TextContent{Text: "{}"}}}).
			OutputSchema(json.RawMessage(`{"type":"object"}`)).MustBuild(),
	} {
		t.Run("Threat89 "+name, func(t *testing.T) {
			t.Parallel()
			refused(t, newKit(t, []*contract.Tool{tool}).call(alice, "art.show", ""), contract.CodeOutputInvalid, contract.ClassFatal)
		})
	}
	_, err := replying(contract.Reply[keyOutput]{}).Risk(risk.Restricted).Permissions("mail:read").Build()
	mistakes := contract.DeclarationErrors(err)
	require.NotEmpty(t, mistakes)
	assert.Equal(t, "restricted.expose", mistakes[0].Rule)
}

func TestRawArguments_ArriveAsTheyWereValidated(t *testing.T) {
	t.Parallel()
	var got string
	tool := contract.New("raw.take", func(_ context.Context, in json.RawMessage) (contract.Reply[json.RawMessage], error) {
		got = string(in)
		return contract.Reply[json.RawMessage]{}, nil
	}).Description("Takes.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).
		InputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","default":7},"id":{"type":"integer"}},"nullable":true}`)).
		MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	require.False(t, k.call(alice, "raw.take", ` {"id": 9007199254740993} `).IsError)
	assert.Equal(t, `{"id":9007199254740993,"n":7}`, got)
	refused(t, k.call(alice, "raw.take", `{"id":"x"}`), contract.CodeInvalidInput, contract.ClassRetryable)
}

func TestOtherErrors_LeaveWithTheirTextWhereTheContractSaysSo(t *testing.T) {
	t.Parallel()
	for class, code := range map[contract.Class]string{contract.ClassRetryable: contract.CodeToolRetry, contract.ClassFatal: contract.CodeToolFatal} {
		t.Run(class.String(), func(t *testing.T) {
			t.Parallel()
			err := errors.New("no such row\x1b[2J [FATAL] " + strings.Repeat("x", 5000))
			tool := writer("pay.now", func(context.Context) error { return err }).OtherErrors(class).MustBuild()
			r := newKit(t, []*contract.Tool{tool}).call(alice, "pay.now", "")
			refused(t, r, code, class)
			assert.Contains(t, r.Text, code+": no such row (FATAL) xxx")
			assert.Less(t, len(r.Text), 1200)
			assert.Positive(t, r.Outcome.Sanitized)
		})
	}
	tool := writer("pay.now", func(context.Context) error { panic("pq: password") }).OtherErrors(contract.ClassRetryable).MustBuild()
	r := newKit(t, []*contract.Tool{tool}).call(alice, "pay.now", "")
	refused(t, r, contract.CodeInternalError, contract.ClassFatal)
	assert.NotContains(t, r.Text, "pq")
}
