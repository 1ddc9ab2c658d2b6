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
	"github.com/toolcontract/toolcontract/internal/bound"
)

type keyedInput struct {
	Token string `json:"token" contract:"secret"`
}

// reportedItems calls a wrapped tool that has a secret and fails with some content.
func reportedItems(t *testing.T, content ...contract.Content) string {
	t.Helper()
	tool := contract.New("page.get", func(context.Context, keyedInput) (empty, error) {
		return empty{}, &bound.HandlerError{Kind: bound.Reported, Own: true, Err: errors.New("refused"), Content: content}
	}).From(writing()).OtherErrors(contract.ClassRetryable).MustBuild()
	r := newKit(t, []*contract.Tool{tool}).call(alice, "page.get", `{"token":"s3cret-token"}`)
	require.Equal(t, contract.CodeToolRetry, r.Outcome.Code, r.Text)
	raw, err := json.Marshal(r.Content)
	require.NoError(t, err)
	return string(raw)
}

func TestThreat171_SecretArgumentsAreInNoPartOfAnErrorResult(t *testing.T) {
	t.Parallel()
	const words = "http://h?key=s3cret-token"
	meta := map[string]any{"from": []any{words}, "s3cret-token": 1, "kept": "yes"}
	for name, c := range map[string]contract.Content{
		"a link":                  contract.LinkContent{URI: words, Name: words, Title: words, Description: words},
		"the _meta of a link":     contract.LinkContent{URI: "http://h", Name: "n", Meta: meta},
		"the _meta of an image":   contract.ImageContent{Data: []byte{1}, MIMEType: "image/png", Meta: meta},
		"the _meta of a resource": contract.ResourceContent{URI: "http://h", Text: "x", ResourceMeta: meta},
	} {
		raw := reportedItems(t, c)
		assert.NotContains(t, raw, "s3cret", name)
		assert.Contains(t, raw, "[redacted]", name)
		assert.Equal(t, strings.Contains(name, "_meta"), strings.Contains(raw, `"kept":"yes"`), name)
	}
}

// A server that is wrapped may send as much as its messages take.
func TestThreat171_ManyTextsOfAnErrorResultHaveTheBoundsOfOne(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`\\\\%2541+abcd 12 13 14 `, 1000)
	var many []contract.Content
	for range 300 {
		many = append(many, contract.LinkContent{URI: "http://h", Name: "n", Description: text})
	}
	raw := reportedItems(t, many...)
	assert.Greater(t, strings.Count(raw, "[redacted]"), 290, "all beyond the bounds of one result")
}
