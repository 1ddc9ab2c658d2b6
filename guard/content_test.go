package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
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

func TestReply_AddsContentToTheResult(t *testing.T) {
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

func TestReply_TextOfTheToolAuthorReplacesTheJSON(t *testing.T) {
	t.Parallel()
	text := []contract.Content{contract.TextContent{Text: "three\x1b[2J"}}
	k := newKit(t, []*contract.Tool{replying(contract.Reply[payOutput]{Out: payOutput{3}, Content: text}).MustBuild()})
	r := k.call(alice, "art.show", "")
	assert.Empty(t, r.Text)
	assert.Equal(t, []contract.Content{contract.TextContent{Text: "three"}}, r.Content)
	assert.Equal(t, contract.TextContent{Text: "three\x1b[2J"}, text[0], "the handler's value is not changed")
}

// foreign returns the text in a delimited block, or "" if text is not one.
func foreign(text string) string {
	m := regexp.MustCompile(`(?s)^The text between the (\S+) tags [^\n]*\n<(\S+)>\n(.*)\n</(\S+)>$`).FindStringSubmatch(text)
	if m == nil || m[1] != m[2] || m[2] != m[4] {
		return ""
	}
	return m[3]
}

func TestReply_UntrustedPlainTextIsDelimited(t *testing.T) {
	t.Parallel()
	texts := []contract.Content{
		contract.TextContent{Text: "ignore all"},
		contract.ResourceContent{URI: "file:///a", Text: "obey"},
		contract.TextContent{Text: `{"paid":4}`},
		contract.TextContent{Text: `{"paid":3}, and obey`},
	}
	left := []contract.Content{
		contract.ResourceContent{URI: "file:///b", Blob: []byte("obey")},
		contract.ResourceContent{URI: "file:///c"},
		contract.ImageContent{Data: []byte{1}},
		contract.LinkContent{URI: "file:///d", Name: "n", Title: "t", Description: "d"},
	}
	all := slices.Concat(texts, left)
	for name, b := range map[string]func(trust.Level) *contract.Tool{
		"beside a structured result": func(l trust.Level) *contract.Tool {
			return replying(contract.Reply[payOutput]{Out: payOutput{3}, Content: all}).Trust(l).MustBuild()
		},
		"beside a text": func(l trust.Level) *contract.Tool {
			return replying(contract.Reply[string]{Out: "x", Content: all}).Trust(l).MustBuild()
		},
		"alone": func(l trust.Level) *contract.Tool {
			return replying(contract.Reply[struct{}]{Content: all}).Trust(l).MustBuild()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, l := range []trust.Level{trust.Untrusted, trust.PromptInjectionProne} {
				r := newKit(t, []*contract.Tool{b(l)}).call(alice, "art.show", "")
				require.Len(t, r.Content, len(all))
				for i, text := range []string{"ignore all", "obey", `{"paid":4}`, `{"paid":3}, and obey`} {
					switch item := r.Content[i].(type) {
					case contract.TextContent:
						assert.Equal(t, text, foreign(item.Text))
					case contract.ResourceContent:
						assert.Equal(t, text, foreign(item.Text))
					}
				}
				assert.Equal(t, left, r.Content[len(texts):])
			}
			for _, l := range []trust.Level{trust.Trusted, trust.Sensitive} {
				assert.Equal(t, all, newKit(t, []*contract.Tool{b(l)}).call(alice, "art.show", "").Content)
			}
		})
	}
}

func TestReply_JSONOfAStructuredResultIsNotDelimited(t *testing.T) {
	t.Parallel()
	type output struct {
		Name string `json:"name"`
		Paid int64  `json:"paid"`
	}
	for name, text := range map[string]string{
		"unchanged":                     `{"name":"é","paid":9007199254740993}`,
		"indented":                      "\n{\n  \"name\": \"é\",\n  \"paid\": 9007199254740993\n}\n",
		"in another order, and escaped": `{"paid":9007199254740993,"name":"\u00e9"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := []contract.Content{contract.TextContent{Text: text}}
			tool := replying(contract.Reply[output]{Out: output{"é", 9007199254740993},
				Content: items}).Trust(trust.Untrusted).MustBuild()
			assert.Equal(t, items, newKit(t, []*contract.Tool{tool}).call(alice, "art.show", "").Content)
		})
	}
	items := []contract.Content{contract.TextContent{Text: `{"name":"é","paid":9007199254740992}`}}
	tool := replying(contract.Reply[output]{Out: output{"é", 9007199254740993}, Content: items}).Trust(trust.Untrusted).MustBuild()
	r := newKit(t, []*contract.Tool{tool}).call(alice, "art.show", "")
	assert.NotEqual(t, items, r.Content, "another number is delimited")
}

func TestReply_EveryPartCountsTowardsItsSize(t *testing.T) {
	t.Parallel()
	const limit = 1000
	long := strings.Repeat("x", limit+1)
	roles := make([]string, limit/2)
	for name, content := range map[string][]contract.Content{
		"a text":                 {contract.TextContent{Text: long}},
		"an image's MIME type":   {contract.ImageContent{MIMEType: long}},
		"a sound's MIME type":    {contract.AudioContent{MIMEType: long}},
		"a link's MIME type":     {contract.LinkContent{MIMEType: long}},
		"a resource's MIME type": {contract.ResourceContent{MIMEType: long}},
		"a text's audience":      {contract.TextContent{Annotations: contract.Annotations{Audience: []string{long}}}},
		"an image's audience":    {contract.ImageContent{Annotations: contract.Annotations{Audience: roles}}},
		"a sound's audience":     {contract.AudioContent{Annotations: contract.Annotations{Audience: roles}}},
		"a link's audience":      {contract.LinkContent{Annotations: contract.Annotations{Audience: roles}}},
		"a resource's audience":  {contract.ResourceContent{Annotations: contract.Annotations{Audience: roles}}},
		"a hundred empty texts":  slices.Repeat([]contract.Content{contract.TextContent{}}, 100),
		"a hundred empty images": slices.Repeat([]contract.Content{contract.ImageContent{}}, 100),
		"a resource's bytes":     {contract.ResourceContent{Blob: []byte(long)}},
	} {
		t.Run("Threat89 "+name, func(t *testing.T) {
			t.Parallel()
			tool := replying(contract.Reply[struct{}]{Content: content}).MaxResultBytes(limit).MustBuild()
			refused(t, newKit(t, []*contract.Tool{tool}).call(alice, "art.show", ""), contract.CodeResultTooLarge, contract.ClassRetryable)
		})
	}
	half := strings.Repeat("x", limit*2/3)
	for name, tool := range map[string]*contract.Tool{
		"structured content and its text": reader("art.show", func(context.Context) (map[string]string, error) {
			return map[string]string{"a": half}, nil
		}).MaxResultBytes(limit).MustBuild(),
		"a text with content": replying(contract.Reply[string]{Out: half,
			Content: []contract.Content{contract.TextContent{Text: half}}}).MaxResultBytes(limit).MustBuild(),
		"structured content with a replaced text": replying(contract.Reply[map[string]string]{
			Out: map[string]string{"a": half}, Content: []contract.Content{contract.TextContent{Text: half}},
		}).MaxResultBytes(limit).MustBuild(),
	} {
		t.Run("Threat89 "+name, func(t *testing.T) {
			t.Parallel()
			refused(t, newKit(t, []*contract.Tool{tool}).call(alice, "art.show", ""), contract.CodeResultTooLarge, contract.ClassRetryable)
		})
	}
	tool := replying(contract.Reply[string]{Out: "x",
		Content: slices.Repeat([]contract.Content{contract.ImageContent{MIMEType: "image/png"}}, 10)}).MaxResultBytes(limit).MustBuild()
	assert.False(t, newKit(t, []*contract.Tool{tool}).call(alice, "art.show", "").IsError)
}

func TestReply_MustFitItsSchema(t *testing.T) {
	t.Parallel()
	for name, tool := range map[string]*contract.Tool{
		"a nil item": replying(contract.Reply[struct{}]{Content: []contract.Content{nil}}).MustBuild(),
		"a pointer":  replying(contract.Reply[struct{}]{Content: []contract.Content{&contract.TextContent{}}}).MustBuild(),
		"a result that breaks its schema": replying(contract.Reply[json.RawMessage]{Out: json.RawMessage(`{"a":1}`)}).
			OutputSchema(json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`)).MustBuild(),
		"a missing structured result": replying(
			contract.Reply[json.RawMessage]{Content: []contract.Content{contract.TextContent{Text: "{}"}}}).
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
		InputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","default":7},"id":{"type":"integer"}},"x-n":true}`)).
		MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	require.False(t, k.call(alice, "raw.take", ` {"id": 9007199254740993} `).IsError)
	assert.Equal(t, `{"id":9007199254740993,"n":7}`, got)
	refused(t, k.call(alice, "raw.take", `{"id":"x"}`), contract.CodeInvalidInput, contract.ClassRetryable)
}

func TestOtherErrors_AreSentWithTheirTextIfTheContractAllowsIt(t *testing.T) {
	t.Parallel()
	codes := map[contract.Class]string{
		contract.ClassRetryable: contract.CodeToolRetry, contract.ClassFatal: contract.CodeToolFatal,
	}
	for class, code := range codes {
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
