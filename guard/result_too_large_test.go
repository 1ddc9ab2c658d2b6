package guard_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
)

const askForLess = "Ask for less, for example for fewer items, a narrower filter or a smaller page."

func TestResultTooLarge_HasTheLimitAndIsRetryableForReads(t *testing.T) {
	t.Parallel()
	long := func(n int) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return strings.Repeat("x", n), nil }
	}
	n := &counter{}
	k := newKit(t, []*contract.Tool{
		reader("text.long", long(100)).MaxResultBytes(99).MustBuild(),
		reader("text.huge", long(1<<20+1)).MustBuild(),
		n.payer("pay.now").MaxResultBytes(3).MustBuild(),
		n.payer("pay.tried").MaxResultBytes(30).DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[payPreview], error) {
			return dryrun.Preview[payPreview]{Warnings: []string{strings.Repeat("x", 100)}}, nil
		})).MustBuild(),
	})
	cases := []struct {
		tool, arguments, text, hint, cause string
		class                              contract.Class
	}{
		{
			"text.long", "", "result_too_large: the result is larger than 99 bytes, the maxResultBytes of the contract\n" + askForLess,
			askForLess,
			"the result has 100 bytes, and maxResultBytes is 99", contract.ClassRetryable,
		},
		{
			"text.huge", "", "result_too_large: the result is larger than 1048576 bytes, the default of maxResultBytes\n" + askForLess,
			askForLess,
			"the result has 1048577 bytes, and maxResultBytes is 1048576", contract.ClassRetryable,
		},
		{
			"pay.now", validPay, "[FATAL] result_too_large: the result is larger than 3 bytes, the maxResultBytes of the " +
				"contract\nEffects may have happened.", "",
			"the result has 22 bytes, and maxResultBytes is 3", contract.ClassFatal,
		},
		{
			"pay.tried", dryPay, "[FATAL] result_too_large: the preview is larger than 30 bytes, the maxResultBytes of the contract; " +
				"nothing was done", "",
			"the preview has 582 bytes, and maxResultBytes is 30", contract.ClassFatal,
		},
	}
	for _, c := range cases {
		r := k.call(alice, c.tool, c.arguments)
		refused(t, r, contract.CodeResultTooLarge, c.class)
		assert.Equal(t, c.text, r.Text)
		assert.Equal(t, c.hint, r.Outcome.Hint)
		assert.NotContains(t, wire(t, r), "xxx")
	}
	for i, event := range k.events(audit.Terminal) {
		assert.Equal(t, contract.CodeResultTooLarge, event.Code)
		assert.Equal(t, cases[i].cause, event.Error)
	}
}

// The key of a read is free for the call that asks for less.
func TestResultTooLarge_OfAManagedRead(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := func(name string) *contract.Builder[payInput, string] {
		return contract.New(name, func(_ context.Context, in payInput) (string, error) {
			n.runs.Add(1)
			return strings.Repeat("x", int(in.Pay.Amount)), nil
		}).From(writing()).MaxResultBytes(10).Idempotency(byClientKey)
	}
	k := newKit(t, []*contract.Tool{tool("list.read").Effect(risk.ReadOnly).MustBuild(), tool("list.write").MustBuild()})
	for range 2 {
		refused(t, k.callKeyed(alice, "list.read", payOf(11), "k1"), contract.CodeResultTooLarge, contract.ClassRetryable)
	}
	require.EqualValues(t, 2, n.runs.Load())
	assert.Equal(t, contract.StatusOK, k.callKeyed(alice, "list.read", payOf(10), "k1").Outcome.Status)

	first := k.callKeyed(alice, "list.write", payOf(11), "k1")
	refused(t, first, contract.CodeResultTooLarge, contract.ClassFatal)
	replayOf(t, first, k.callKeyed(alice, "list.write", payOf(11), "k1"))
	refused(t, k.callKeyed(alice, "list.write", payOf(10), "k1"), contract.CodeKeyConflict, contract.ClassRetryable)
	assert.EqualValues(t, 4, n.runs.Load())
}

// Many small values are a large result, as a long text is.
func TestResultTooLarge_OfManyValues(t *testing.T) {
	t.Parallel()
	type numbers struct {
		N []int `json:"n"`
	}
	const many = 524_300 // with a comma each, more than 1 MiB
	list := make([]int, many)
	raw, err := json.Marshal(numbers{list})
	require.NoError(t, err)
	for name, tool := range map[string]*contract.Tool{
		"structured content": reader("numbers.list", func(context.Context) (numbers, error) { return numbers{list}, nil }).MustBuild(),
		"untyped content": reader("numbers.list", func(context.Context) (json.RawMessage, error) {
			return raw, nil
		}).MustBuild(),
		"_meta": reader("numbers.list", func(context.Context) (contract.Reply[string], error) {
			return contract.Reply[string]{Out: "x", Meta: map[string]any{"example.com/n": list}}, nil
		}).MustBuild(),
		"_meta of an item": reader("numbers.list", func(context.Context) (contract.Reply[struct{}], error) {
			return contract.Reply[struct{}]{Content: []contract.Content{
				contract.TextContent{Text: "x", Meta: map[string]any{"example.com/n": list}},
			}}, nil
		}).MustBuild(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newKit(t, []*contract.Tool{tool}).call(alice, "numbers.list", "")
			refused(t, r, contract.CodeResultTooLarge, contract.ClassRetryable)
			assert.Equal(t, askForLess, r.Outcome.Hint)
		})
	}
	fits := make([]int, 300_000)
	tool := reader("numbers.list", func(context.Context) (contract.Reply[string], error) {
		return contract.Reply[string]{Out: "x", Meta: map[string]any{"example.com/n": fits}}, nil
	}).MustBuild()
	assert.False(t, newKit(t, []*contract.Tool{tool}).call(alice, "numbers.list", "").IsError)

	n := &counter{}
	dry := n.payer("pay.tried").DryRun(dryrun.By(func(context.Context, payInput) (dryrun.Preview[numbers], error) {
		return dryrun.Preview[numbers]{Data: numbers{list}}, nil
	})).MustBuild()
	refused(t, newKit(t, []*contract.Tool{dry}).call(alice, "pay.tried", dryPay), contract.CodeResultTooLarge, contract.ClassFatal)
}
