package guard_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

// A deepInput takes values of any depth.
type deepInput struct {
	Token string         `json:"token"          contract:"secret"`
	Data  map[string]any `json:"data,omitempty"`
	Tags  []any          `json:"tags,omitempty"`
}

// Arguments that are read in another form can nest deeper than arguments that
// are sent. A person sees them nevertheless, and their secrets stay hidden.
func TestThreat206_DeepArgumentsHideNothingAndShowNothing(t *testing.T) {
	t.Parallel()
	lists := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, arguments := range map[string]string{
		"flat":           `{"token":"s3cret"}`,
		"text as JSON":   `{"token":"s3cret","data":"{\"a\":` + lists(63) + `}"}`,
		"single as list": `{"token":"s3cret","tags":` + strings.Repeat(`{"a":`, 63) + "1" + strings.Repeat("}", 63) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			put := contract.New("tree.put", func(_ context.Context, in deepInput) (empty, error) {
				return empty{}, errors.New("cannot use " + in.Token)
			}).From(writing()).OtherErrors(contract.ClassRetryable).Lenient(everyForm...)
			k := newKit(t, []*contract.Tool{put.MustBuild()})
			r := k.call(alice, "tree.put", arguments)
			require.Equal(t, contract.CodeToolRetry, r.Outcome.Code, r.Text)
			assert.NotContains(t, r.Text, "s3cret")

			k = newKit(t, []*contract.Tool{put.ConfirmAlways().MustBuild()})
			q := k.asked(round{who: alice, tool: "tree.put", arguments: arguments}).Question
			shown := 0
			for _, member := range []string{`"token":`, `"data":`, `"tags":`} {
				shown += strings.Count(arguments, member)
			}
			assert.Len(t, q.Arguments, shown)
			assert.NotContains(t, q.Message, "s3cret")
		})
	}
}
