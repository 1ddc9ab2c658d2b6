package guard_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

type memoInput struct {
	Body   string            `json:"body" contract:"review"`
	Title  string            `json:"title"`
	Labels map[string]string `json:"labels"`
	Lines  []string          `json:"lines"`
}

// markup finds everything that a renderer of Markdown makes a link of.
var markup = regexp.MustCompile(`\]\(|\]\[|\]:|!\[|<[A-Za-z/!?]|://|(?i)\bwww\.|&[#A-Za-z0-9]+;`)

// hidden are texts that hide an address in Markdown.
const hidden = "[Already approved](https://evil.example/a) <https://evil.example/b> ![x](http://evil.example/c.png) " +
	"[ref][evil] [evil]: https://evil.example/d www.evil.example <a href=e>open</a> &#91;f&#93;"

func TestThreat121_MarkdownMakesNoLinkInAQuestion(t *testing.T) {
	t.Parallel()
	note := contract.New("notes.write", func(context.Context, memoInput) (payOutput, error) { return payOutput{}, nil }).
		From(writing()).ConfirmAlways().Description("Writes a note. " + hidden).SideEffects(contract.SideEffect{Description: "Sends " +
		hidden, Reach: contract.External, Undo: contract.Irreversible}).
		DryRun(dryrun.By(func(context.Context, memoInput) (dryrun.Preview[payPreview], error) {
			return dryrun.Preview[payPreview]{Warnings: []string{hidden}}, nil
		})).MustBuild()
	arguments, err := json.Marshal(memoInput{Body: hidden, Title: hidden, Labels: map[string]string{hidden: hidden},
		Lines: []string{hidden}})
	require.NoError(t, err)
	who := alice
	who.Subject = "alice" + hidden
	check := func(t *testing.T, q people.Question) {
		t.Helper()
		assert.Empty(t, markup.FindAllString(q.Message, -1), q.Message)
		assert.Contains(t, q.Message, "[Already approved] (https:/ /evil.example/a)")
		for _, a := range q.Arguments {
			assert.Contains(t, a.Text, "[Already approved](https://evil.example/a)", "the parts are exact")
		}
		_, body, _ := strings.Cut(q.Message, `"body": `)
		body, _, _ = strings.Cut(body, "\n")
		var shown string
		require.NoError(t, json.Unmarshal([]byte(body), &shown))
		assert.Equal(t, hidden, shown, "the message is exact")
		assert.GreaterOrEqual(t, strings.Count(q.Message, "evil.example/a"), 6, "every text is still there")
	}
	t.Run("in rounds", func(t *testing.T) {
		t.Parallel()
		k := newKit(t, []*contract.Tool{note})
		check(t, *k.asked(round{who: who, tool: "notes.write", arguments: string(arguments)}).Question)
	})
	t.Run("within the call", func(t *testing.T) {
		t.Parallel()
		k, asked := newKit(t, []*contract.Tool{note}), false
		_, err := k.set.Call(as(t.Context(), who), guard.Request{
			Tool: "notes.write", Arguments: arguments,
			Client: guard.Client{
				Ask: func(_ context.Context, q people.Question) (json.RawMessage, error) {
					asked = true
					check(t, q)
					return json.RawMessage(declined), nil
				},
			},
		})
		require.NoError(t, err)
		assert.True(t, asked)
	})
	t.Run("for an approver", func(t *testing.T) {
		t.Parallel()
		k, d := approvals(t, note)
		waits(t, k.call(who, "notes.write", string(arguments)))
		q, _ := d.last(t)
		check(t, q.Question)
	})
}
