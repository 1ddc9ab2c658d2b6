package guard_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type statusOutput struct {
	Status string             `json:"status" jsonschema:"enum=sent,enum=failed"`
	Score  float64            `json:"score"`
	Items  []*statusOutput    `json:"items,omitempty"`
	Extra  map[string]float64 `json:"extra,omitempty"`
}

func TestThreat89_ResultThatBreaksItsSchemaIsNotSent(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]statusOutput{
		"a value outside its enum": {Status: "pq: secret"},
		"NaN":                      {Status: "sent", Score: math.NaN()},
		"an infinity":              {Status: "sent", Extra: map[string]float64{"x": math.Inf(1)}},
		"bad UTF-8":                {Status: "se\xffnt"},
		"a nested nil":             {Status: "sent", Items: []*statusOutput{nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{reader("mail.state", func(context.Context) (statusOutput, error) {
				return out, nil
			}).MustBuild()})
			r := k.call(alice, "mail.state", "")
			refused(t, r, contract.CodeOutputInvalid, contract.ClassFatal)
			assert.NotContains(t, wire(t, r), "pq:")
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.Equal(t, "checkresult", events[0].Stage)
			assert.NotEmpty(t, events[0].Error)
			assert.NotContains(t, events[0].Error, "pq:")
		})
	}
}

func TestThreat89_ResultThatIsTooLargeIsNotSent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	k := newKit(t, []*contract.Tool{
		reader("text.long", func(context.Context) (string, error) { return long, nil }).MaxResultBytes(99).MustBuild(),
		reader("text.fits", func(context.Context) (string, error) { return long, nil }).MaxResultBytes(100).MustBuild(),
		reader("map.long", func(context.Context) (map[string]string, error) {
			return map[string]string{"a": long},
				nil
		}).MaxResultBytes(100).MustBuild(),
		reader("text.huge", func(context.Context) (string, error) {
			return strings.Repeat("x", 1<<20+1), nil
		}).MustBuild(),
	})
	for _, tool := range []string{"text.long", "map.long", "text.huge"} {
		refused(t, k.call(alice, tool, ""), contract.CodeResultTooLarge, contract.ClassRetryable)
	}
	assert.Equal(t, long, k.call(alice, "text.fits", "").Text)
}

// hostile holds characters and sequences that have tricked terminals and
// models. plain is the text that a reader sees. kept is text that sanitizing
// must not change.
const (
	hostile = "a\x1b[31mb\x1b]8;;http://x\x07c\x1b]52;c;aGk=\x1b\\d\x1bPq\x1b\\e\u009b2Jf\x7fg\u202eh\u200bi\U000e0041j\U000e0100k"
	plain   = "abcdefghijk"
	kept    = "👩‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 👍🏽 العربية עברית 漢字 हिन्दी " +
		"می‌خواهم\r\n\tend"
)

func TestThreat90_HostileCharactersAreRemovedAndCounted(t *testing.T) {
	t.Parallel()
	for _, level := range enumtest.All[trust.Level]() {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{
				reader("text.read", func(context.Context) (string, error) { return hostile + kept, nil }).Trust(level).MustBuild(),
				reader("map.read", func(context.Context) (map[string]any, error) {
					return map[string]any{hostile: []any{hostile + kept, map[string]any{"x": hostile}}}, nil
				}).Trust(level).MustBuild(),
				reader("text.fail", func(context.Context) (string, error) {
					return "", errNoFunds.Errorf("%s",
						hostile)
				}).Trust(level).Failures(errNoFunds).MustBuild(),
			})
			text := k.call(alice, "text.read", "")
			assert.Contains(t, text.Text, plain+kept)
			assert.Equal(t, level.MayInject(), text.Text != plain+kept, "only untrusted text is delimited")
			assert.Positive(t, text.Outcome.Sanitized)
			assert.Equal(t, level, text.Outcome.ContentTrust)

			structured := k.call(alice, "map.read", "")
			assert.JSONEq(t, `{"`+plain+`":["`+plain+strings.NewReplacer("\r", `\r`, "\n", `\n`, "\t", `\t`).Replace(kept)+`",{"x":"`+
				plain+`"}]}`, string(structured.Structured))
			assert.Equal(t, string(structured.Structured), structured.Text, "the text is the JSON itself")
			assert.Equal(t, 3*text.Outcome.Sanitized, structured.Outcome.Sanitized)

			failed := k.call(alice, "text.fail", "")
			assert.Contains(t, failed.Text, plain)
			assert.Equal(t, level.MayInject(), failed.Text != "no_funds: "+plain, "only untrusted text is delimited")
		})
	}
}

func TestThreat90_NamesMadeEqualBySanitizingAreInvalid(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{reader("map.read", func(context.Context) (map[string]string, error) {
		return map[string]string{"to": "anna", "t\u200bo": "mallory"}, nil
	}).MustBuild()})
	refused(t, k.call(alice, "map.read", ""), contract.CodeOutputInvalid, contract.ClassFatal)
}

func TestThreat92_UndeclaredErrorTextStaysInTheLog(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { return errSecret }).MustBuild()})
	r := k.call(alice, "pay.now", "")
	refused(t, r, contract.CodeInternalError, contract.ClassFatal)
	assert.NotContains(t, wire(t, r), "pq")
	assert.NotContains(t, wire(t, r), "10.0.0.3")
	events := k.events(audit.Terminal)
	require.Len(t, events, 1)
	assert.Equal(t, errSecret.Error(), events[0].Error)
}

type keyOutput struct {
	ID  string `json:"id" contract:"expose"`
	Key string `json:"key,omitempty"`
}

func TestCheckResult_RestrictedToolReturnsOnlyExposedFields(t *testing.T) {
	t.Parallel()
	tool := reader("keys.meta", func(context.Context) (keyOutput, error) { return keyOutput{"k1", "-----BEGIN"}, nil }).
		Risk(risk.Restricted).Permissions("mail:read").MustBuild()
	assert.NotContains(t, string(tool.Document().OutputSchema), `"key"`)
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(bob, "keys.meta", "")
	require.False(t, r.IsError, r.Text)
	assert.JSONEq(t, `{"id":"k1"}`, string(r.Structured))
	assert.Equal(t, `{"id":"k1"}`, r.Text)
}
