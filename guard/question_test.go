package guard_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

func TestQuestion_HasTheTitleOfTheTool(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Title("Pay an invoice").MustBuild(), n.asking("pay.later").MustBuild()})
	assert.Equal(t, "Allow Pay an invoice (pay.now) to run?", k.asked(payNow).Question.Title)
	later := payNow
	later.tool = "pay.later"
	assert.Equal(t, "Allow pay.later to run?", k.asked(later).Question.Title)
}

func TestQuestion_SaysHowFarTheCallCanBeUndone(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, effect := range []contract.SideEffect{
		{Description: "A payment.", Reach: contract.Internal, Undo: contract.Reversible},
		{Description: "A payment.", Reach: contract.External, Undo: contract.Reversible},
		{Description: "A payment.", Reach: contract.External, Undo: contract.Irreversible},
	} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").SideEffects(effect).MustBuild()})
		q := k.asked(payNow).Question
		assert.Contains(t, q.Message, q.Facts[1], "the page and the message have the same line")
		assert.False(t, seen[q.Facts[1]], "two classes look the same")
		seen[q.Facts[1]] = true
	}
}

func TestQuestion_ShowsTheWordsOfTheToolBesideTheArguments(t *testing.T) {
	t.Parallel()
	n := &counter{}
	describe := func(in payInput) string { return " Pay " + in.Note + "\nRisk low. " }
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Question(describe).MustBuild()})
	call := payNow
	call.arguments = `{"pay":{"amount":10},"note":"Anna\u202e [here](https://evil.example)"}`
	q := k.asked(call).Question
	assert.Equal(t, `Pay Anna\u202e [here](https://evil.example)\u000aRisk low.`, q.Words, "one line, and nothing hidden")
	lines := strings.Split(q.Message, "\n")
	assert.Equal(t, `In the words of the tool: Pay Anna\u202e [here] (https:/ /evil.example)\u000aRisk low.`, lines[1])
	assert.Contains(t, q.Message, `"pay": {"amount":10}`, "the arguments are still there")
	assert.Len(t, q.Arguments, 2)
}

func TestQuestion_IsBounded(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.asking("pay.now").Question(func(payInput) string {
		return strings.Repeat("x",
			500)
	}).MustBuild()})
	assert.Equal(t, strings.Repeat("x", 400)+"… (100 more characters)", k.asked(payNow).Question.Words)
}

func TestQuestion_WithoutASentenceIsTheUsualOne(t *testing.T) {
	t.Parallel()
	n := &counter{}
	usual := newKit(t, []*contract.Tool{n.asking("pay.now").MustBuild()}).asked(payNow).Question.Message
	for name, describe := range map[string]func(payInput) string{
		"nothing":             func(payInput) string { return "" },
		"blanks":              func(payInput) string { return " \n" },
		"a panic":             func(payInput) string { panic("pq: boom") },
		"the goroutine's end": func(payInput) string { runtime.Goexit(); return "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.asking("pay.now").Question(describe).MustBuild()})
			q := k.asked(payNow)
			assert.Equal(t, usual, q.Question.Message)
			assert.Empty(t, q.Question.Words)
			require.Zero(t, n.runs.Load())
			r, err := k.round(payNow.with(q.State, confirmed))
			require.NoError(t, err)
			assert.Equal(t, contract.StatusOK, r.Outcome.Status)
		})
	}
}

const (
	typedRight = `{"action":"accept","content":{"word":" invoice 10 "}}`
	typedWrong = `{"action":"accept","content":{"word":"Invoice 10"}}`
)

// typing returns a payer that is confirmed by typing.
func (n *counter) typing(name string) *contract.Builder[payInput, payOutput] {
	return n.asking(name).ConfirmTyping(func(in payInput) string { return "invoice " + string(rune('0'+in.Pay.Amount/10)) + "0" })
}

func TestTypedConfirmation_OnlyTheWordApproves(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		code   string
		asks   bool
	}{
		"the word":      {typedRight, "", false},
		"another word":  {typedWrong, "", true},
		"a number":      {`{"action":"accept","content":{"word":10}}`, contract.CodeConfirmationDeclined, false},
		"an empty word": {`{"action":"accept","content":{"word":" "}}`, contract.CodeConfirmationDeclined, false},
		"no content":    {`{"action":"accept"}`, contract.CodeConfirmationDeclined, false},
		"empty content": {`{"action":"accept","content":{}}`, contract.CodeConfirmationDeclined, false},
		"a tick":        {confirmed, contract.CodeConfirmationDeclined, false},
		"the word, declined": {`{"action":"decline","content":{"word":"invoice 10"}}`, contract.CodeConfirmationDeclined,
			false},
		"the word under the name of yes": {`{"action":"accept","content":{"confirm":"invoice 10"}}`, contract.CodeConfirmationDeclined,
			false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.typing("pay.now").MustBuild()})
			q := k.asked(payNow)
			assert.Equal(t, "invoice 10", q.Question.Word)
			assert.Contains(t, q.Question.Message, "\nTo approve it, type: invoice 10\n")
			assert.Contains(t, q.Question.Label, "invoice 10")
			r, err := k.round(payNow.with(q.State, c.answer))
			require.NoError(t, err)
			switch {
			case c.asks:
				isQuestion(t, r)
			case c.code != "":
				refused(t, r, c.code, contract.ClassRetryable)
			default:
				require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
			}
			assert.Equal(t, c.code == "" && !c.asks, n.runs.Load() == 1)
		})
	}
}

func TestTypedConfirmation_AsksTwiceAgainAfterAWrongWord(t *testing.T) {
	t.Parallel()
	t.Run("in rounds", func(t *testing.T) {
		t.Parallel()
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.typing("pay.now").MustBuild()})
		q := k.asked(payNow)
		for range 2 {
			q = k.asked(payNow.with(q.State, typedWrong))
		}
		r, err := k.round(payNow.with(q.State, typedWrong))
		require.NoError(t, err)
		refused(t, r, contract.CodeConfirmationDeclined, contract.ClassRetryable)
		assert.Zero(t, n.runs.Load())
	})
	t.Run("within the call", func(t *testing.T) {
		t.Parallel()
		for answers, runs := range map[int]int64{1: 1, 2: 1, 3: 0} {
			n, asked := &counter{}, 0
			k := newKit(t, []*contract.Tool{n.typing("pay.now").MustBuild()})
			_, err := k.set.Call(as(t.Context(), alice), guard.Request{
				Tool: "pay.now", Arguments: []byte(validPay),
				Client: guard.Client{
					Ask: func(_ context.Context, q people.Question) (json.RawMessage, error) {
						assert.Equal(t, "invoice 10", q.Word)
						if asked++; asked > answers {
							return json.RawMessage(typedRight), nil
						}
						return json.RawMessage(typedWrong), nil
					},
				},
			})
			require.NoError(t, err)
			assert.Equal(t, runs, n.runs.Load(), "after %d wrong words", answers)
		}
	})
}

// Formatters of numbers write blanks that no keyboard types.
func TestTypedConfirmation_AnyBlankIsABlank(t *testing.T) {
	t.Parallel()
	word := func(payInput) string { return "1\u202f000\u00a0€" }
	for _, typed := range []string{"1 000 €", "1\u202f000\u00a0€"} {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.asking("pay.now").ConfirmTyping(word).MustBuild()})
		q := k.asked(payNow)
		assert.Equal(t, "1 000 €", q.Question.Word)
		r, err := k.round(payNow.with(q.State, `{"action":"accept","content":{"word":"`+typed+`"}}`))
		require.NoError(t, err)
		require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
	}
	n := &counter{}
	k, d := approvals(t, n.asking("pay.now").ConfirmTyping(word).MustBuild())
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	require.NoError(t, k.guard.People().ApproveTyped(t.Context(), q.Token, "1\u00a0000 €", dave))
}

// The state holds the word that the person saw. Another question's state does
// not let a client choose its word.
func TestThreat135_TheWordIsThatOfTheQuestion(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.typing("pay.now").MustBuild()})
	other := payNow
	other.arguments = `{"pay":{"amount":20}}`
	q := k.asked(other)
	_, err := k.round(payNow.with(q.State, `{"action":"accept","content":{"word":"invoice 20"}}`))
	require.ErrorIs(t, err, guard.ErrRejectedState)
	r, err := k.round(other.with(q.State, `{"action":"accept","content":{"word":"invoice 10"}}`))
	require.NoError(t, err)
	isQuestion(t, r)
	assert.Zero(t, n.runs.Load())
}

// Without a word that a person can type, no person can approve the call.
func TestTypedConfirmation_WithoutAWordFailsClosed(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]func(payInput) string{
		"nothing":      func(payInput) string { return "" },
		"blanks":       func(payInput) string { return "  " },
		"a panic":      func(payInput) string { panic("pq: boom") },
		"two lines":    func(payInput) string { return "a\nb" },
		"hidden":       func(payInput) string { return "a\u200bb" },
		"an address":   func(payInput) string { return "www.example.com" },
		"a long text":  func(payInput) string { return strings.Repeat("x", 65) },
		"the end":      func(payInput) string { runtime.Goexit(); return "" },
		"another form": func(payInput) string { return "\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := &counter{}
			k := newKit(t, []*contract.Tool{n.asking("pay.now").ConfirmTyping(word).MustBuild()})
			r, err := k.round(payNow)
			require.NoError(t, err)
			refused(t, r, contract.CodeInternalError, contract.ClassFatal)
			assert.NotContains(t, r.Text, "pq:")
			assert.Zero(t, n.runs.Load())
		})
	}
}

func TestTypedConfirmation_OfAnApprover(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k, d := approvals(t, n.typing("pay.now").MustBuild())
	waits(t, k.call(alice, "pay.now", validPay))
	q, _ := d.last(t)
	assert.Equal(t, "invoice 10", q.Question.Word)
	require.ErrorIs(t, k.guard.People().Decide(t.Context(), q.Token, true, dave), people.ErrWrongWord)
	require.ErrorIs(t, k.guard.People().ApproveTyped(t.Context(), q.Token, "invoice 11", dave), people.ErrWrongWord)
	waits(t, k.call(alice, "pay.now", validPay))
	require.NoError(t, k.guard.People().ApproveTyped(t.Context(), q.Token, " invoice 10", dave))
	require.Equal(t, contract.StatusOK, k.call(alice, "pay.now", validPay).Outcome.Status)
	assert.EqualValues(t, 1, n.runs.Load())

	later := `{"pay":{"amount":20}}`
	waits(t, k.call(alice, "pay.now", later))
	q, _ = d.last(t)
	require.NoError(t, k.guard.People().Decide(t.Context(), q.Token, false, dave), "declining needs no word")
	refused(t, k.call(alice, "pay.now", later), contract.CodeConfirmationDeclined, contract.ClassRetryable)
}
