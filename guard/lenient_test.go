package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

var everyForm = []contract.Leniency{contract.NullAsAbsent, contract.TextAsNumber, contract.TextAsBoolean, contract.SingleAsList}

type orderInput struct {
	Count  int      `json:"count"`
	Gift   bool     `json:"gift,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Note   string   `json:"note,omitempty" jsonschema:"default=none"`
	Counts []int    `json:"counts,omitempty"`
}

// order returns a lenient tool that stores its input.
func order(into *orderInput) *contract.Builder[orderInput, empty] {
	return contract.New("order.place", func(_ context.Context, in orderInput) (empty, error) {
		*into = in
		return empty{}, nil
	}).From(writing()).Lenient(everyForm...)
}

func TestLenient_TheHandlerGetsWhatWasValidated(t *testing.T) {
	t.Parallel()
	var got orderInput
	k := newKit(t, []*contract.Tool{order(&got).MustBuild()})
	r := k.call(alice, "order.place", `{"count":"5","gift":"true","tags":"s3cret","note":null,"counts":"7"}`)
	assert.False(t, r.IsError)
	assert.Equal(t, orderInput{Count: 5, Gift: true, Tags: []string{"s3cret"}, Note: "none", Counts: []int{7}}, got)
	assert.Equal(t, []contract.Reading{
		{Pointer: "/count", As: contract.TextAsNumber}, {Pointer: "/counts", As: contract.SingleAsList}, {Pointer: "/counts",
			As: contract.TextAsNumber},
		{Pointer: "/gift", As: contract.TextAsBoolean}, {Pointer: "/note", As: contract.NullAsAbsent}, {Pointer: "/tags",
			As: contract.SingleAsList},
	}, r.Outcome.Readings)
	outcome, err := json.Marshal(r.Outcome)
	require.NoError(t, err)
	assert.NotContains(t, string(outcome), "s3cret")
	assert.Contains(t, string(outcome), `{"pointer":"/count","as":"text-as-number"}`)

	strict := k.call(alice, "order.place", `{"count":5,"gift":true,"tags":["s3cret"],"counts":[7]}`)
	assert.Empty(t, strict.Outcome.Readings)
	events := k.events(audit.Terminal)
	require.Len(t, events, 2)
	assert.NotEmpty(t, events[0].ArgumentsDigest)
	assert.Equal(t, events[0].ArgumentsDigest, events[1].ArgumentsDigest, "the audit log has the canonical arguments")
}

func TestLenient_WhatIsNotDeclaredIsRefused(t *testing.T) {
	t.Parallel()
	var got orderInput
	strict := contract.New("order.strict", func(context.Context, orderInput) (empty, error) {
		return empty{},
			nil
	}).From(writing()).Lenient(contract.NullAsAbsent).MustBuild()
	k := newKit(t, []*contract.Tool{order(&got).MustBuild(), strict}, unlimited)
	for _, arguments := range []string{`{"count":"5.5"}`, `{"count":" 5"}`, `{"count":"s3cret"}`, `{"count":null}`, `{"count":true}`,
		`{"count":1,"gift":1}`, `{"count":1,"note":5}`, `"{\"count\":1}"`} {
		r := k.call(alice, "order.place", arguments)
		assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, arguments)
		assert.NotContains(t, r.Text, "s3cret")
	}
	for _, arguments := range []string{`{"count":"5"}`, `{"count":1,"tags":"a"}`, `{"count":1,"gift":"true"}`} {
		assert.Equal(t, contract.CodeInvalidInput, k.call(alice, "order.strict", arguments).Outcome.Code, arguments)
	}
	assert.False(t, k.call(alice, "order.strict", `{"count":1,"note":null}`).IsError)
}

func TestLenient_ACallInAnotherFormIsTheSameCall(t *testing.T) {
	t.Parallel()
	n := &counter{}
	k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).Lenient(contract.TextAsNumber).MustBuild()},
		guard.WithStore(newMemory(t)))
	first := k.call(alice, "pay.now", `{"pay":{"amount":"10"}}`)
	assert.Equal(t, contract.StatusOK, first.Outcome.Status)
	again := k.call(alice, "pay.now", `{"pay":{"amount":10}}`)
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
	assert.Empty(t, again.Outcome.Readings, "this call was sent as the schema demands")
	assert.EqualValues(t, 1, n.runs.Load())
}

func TestLenient_ThePersonAndTheDryRunTokenHaveWhatIsRun(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tools := []*contract.Tool{n.payer("pay.asks").ConfirmAlways().Lenient(contract.TextAsNumber).MustBuild(),
		n.tryFirst("pay.first").Lenient(everyForm...).MustBuild()}
	k := newKit(t, tools, unlimited)
	q := k.asked(round{who: alice, tool: "pay.asks", arguments: `{"pay":{"amount":"10"}}`})
	assert.Contains(t, q.Question.Message, `{"amount":10}`)

	token := tokenOf(t, k.call(alice, "pay.first", `{"pay":{"amount":"10"},"dryRun":true}`))
	r := k.call(alice, "pay.first", payWith(token))
	assert.False(t, r.IsError, r.Text)
	for _, dryRun := range []string{`"true"`, `null`, `["true"]`} {
		r := k.call(alice, "pay.first", `{"pay":{"amount":10},"dryRun":`+dryRun+`}`)
		assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, "dryRun is read strictly: %s", dryRun)
	}
}

func TestLenient_ListsAtMostAHundredReadings(t *testing.T) {
	t.Parallel()
	var got orderInput
	k := newKit(t, []*contract.Tool{order(&got).MustBuild()})
	counts := strings.Repeat(`"1",`, 100+1)
	r := k.call(alice, "order.place", fmt.Sprintf(`{"count":1,"counts":[%s]}`, strings.TrimSuffix(counts, ",")))
	assert.Len(t, r.Outcome.Readings, 100)
	assert.Equal(t, 1, r.Outcome.MoreReadings)
	assert.Len(t, got.Counts, 100+1)
}
