package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
)

var everyForm = []contract.Leniency{contract.NullAsAbsent, contract.TextAsNumber, contract.TextAsBoolean, contract.SingleAsList,
	contract.TextAsJSON, contract.EmptyAsAbsent, contract.HostMember}

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

func TestThreat175_AListInATextIsThatListOrRefused(t *testing.T) {
	t.Parallel()
	var got orderInput
	k := newKit(t, []*contract.Tool{
		order(&got).MustBuild(),
		contract.New("order.single", func(_ context.Context, in orderInput) (empty, error) {
			got = in
			return empty{}, nil
		}).From(writing()).Lenient(contract.SingleAsList, contract.TextAsNumber).MustBuild(),
	}, unlimited)
	for text, want := range map[string][]string{
		`["bug"]`: {"bug"}, ` ["a","b"] `: {"a", "b"}, `[]`: {}, `["a,b"]`: {"a,b"}, `bug`: {"bug"}, `a b`: {"a b"},
		"": nil, `null`: nil, `a,b`: nil, `[bug]`: nil, `["bug"`: nil, `{"a":1}`: nil, `"bug"`: nil, "a\nb": nil, `a;b`: nil, ` `: nil,
	} {
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		arguments := fmt.Sprintf(`{"count":1,"tags":%s}`, quoted)
		got = orderInput{}
		r := k.call(alice, "order.place", arguments)
		if want == nil && text != "" {
			assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, text)
		} else {
			assert.Equal(t, contract.StatusOK, r.Outcome.Status, text)
			assert.Equal(t, want, got.Tags, text)
		}
		r = k.call(alice, "order.single", arguments)
		if text == "bug" || text == "a b" {
			assert.Equal(t, []string{text}, got.Tags)
			assert.Equal(t, []contract.Reading{{Pointer: "/tags", As: contract.SingleAsList}}, r.Outcome.Readings)
		} else {
			assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, "the text is not read as JSON: %s", text)
		}
	}
	require.Equal(t, contract.StatusOK, k.call(alice, "order.place", `{"count":1,"counts":"[\"7\",8]"}`).Outcome.Status)
	assert.Equal(t, []int{7, 8}, got.Counts)
}

func TestThreat176_AMemberThatAHostAddsLeavesNoTrace(t *testing.T) {
	t.Parallel()
	n := &counter{}
	var raw []string
	open := contract.New("pay.open", func(_ context.Context, in json.RawMessage) (payOutput, error) {
		raw = append(raw, string(in))
		return payOutput{n.runs.Add(1)}, nil
	}).From(writing()).InputSchema(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)).Idempotency(byArguments)
	var lines strings.Builder
	k := newKit(t, []*contract.Tool{
		n.managedPayer("pay.now", byArguments, nil).Lenient(contract.HostMember).MustBuild(),
		open.Lenient(contract.HostMember).MustBuild(),
		n.payer("pay.strict").Lenient(contract.TextAsJSON, contract.EmptyAsAbsent).MustBuild(),
		contract.New("pay.asks", func(context.Context, struct{}) (empty, error) { return empty{}, nil }).From(writing()).
			Effect(risk.HighRiskWrite).ConfirmAlways().Lenient(contract.HostMember).MustBuild(),
	}, guard.WithStore(newMemory(t)), guard.WithLogger(slog.New(slog.NewTextHandler(&lines, nil))), unlimited)

	first := k.call(alice, "pay.now", `{"pay":{"amount":10},"toolCallId":"call-s3cret"}`)
	assert.Equal(t, contract.StatusOK, first.Outcome.Status)
	assert.Equal(t, []contract.Reading{{Pointer: "/toolCallId", As: contract.HostMember}}, first.Outcome.Readings)
	again := k.call(alice, "pay.now", `{"pay":{"amount":10},"toolCallId":"other-s3cret","random_string":{"a":"s3cret"}}`)
	assert.Equal(t, contract.StatusReplayed, again.Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.now", validPay).Outcome.Status)

	assert.Equal(t, contract.StatusOK, k.call(alice, "pay.open", `{"n":1,"toolCallId":"s3cret"}`).Outcome.Status)
	assert.Equal(t, contract.StatusReplayed, k.call(alice, "pay.open", `{"n":1,"toolCallId":"s3cret too"}`).Outcome.Status)
	assert.Equal(t, []string{`{"n":1}`}, raw)
	assert.EqualValues(t, 2, n.runs.Load())

	asked := k.asked(round{who: alice, tool: "pay.asks", arguments: `{"random_string":"s3cret"}`})
	assert.NotContains(t, asked.Question.Message, "s3cret")

	for _, arguments := range []string{`{"pay":{"amount":10},"toolCallId":"s3cret"}`, `{"pay":{"amount":10,"toolCallId":"s3cret"}}`} {
		r := k.call(alice, "pay.strict", arguments)
		assert.Equal(t, contract.CodeInvalidInput, r.Outcome.Code, arguments)
		assert.NotContains(t, r.Text, "s3cret")
	}
	for _, arguments := range []string{`{"pay":{"amount":10,"toolCallId":"s3cret"}}`, `{"pay":{"amount":10},"toolcallid":"s3cret"}`} {
		assert.Equal(t, contract.CodeInvalidInput, k.call(alice, "pay.now", arguments).Outcome.Code, arguments)
	}
	events := k.events(audit.Terminal)
	require.NotEmpty(t, events)
	assert.Equal(t, events[0].ArgumentsDigest, events[1].ArgumentsDigest)
	assert.Equal(t, events[0].LookupKey, events[1].LookupKey)
	written, err := json.Marshal(append(events, k.log.Events(audit.Intent)...))
	require.NoError(t, err)
	assert.NotContains(t, string(written)+lines.String(), "s3cret")
}

func TestLenient_AnEmptyTextIsAbsentWhereItCannotBeMeant(t *testing.T) {
	t.Parallel()
	type formInput struct {
		Sort  string    `json:"sort,omitzero"  jsonschema:"enum=asc,enum=desc,default=asc"`
		Limit int       `json:"limit,omitzero"`
		Since time.Time `json:"since,omitzero"`
		Tags  []string  `json:"tags,omitzero"`
		Note  string    `json:"note,omitzero"  jsonschema:"minLength=1"`
		Gift  bool      `json:"gift,omitzero"`
		ID    int       `json:"id"`
	}
	var got formInput
	fill := func(_ context.Context, in formInput) (empty, error) {
		got = in
		return empty{}, nil
	}
	k := newKit(t, []*contract.Tool{
		contract.New("form.fill", fill).From(writing()).Lenient(contract.EmptyAsAbsent).MustBuild(),
		contract.New("form.strict", fill).From(writing()).Lenient(contract.SingleAsList, contract.TextAsNumber, contract.NullAsAbsent).
			MustBuild(),
	}, unlimited)
	r := k.call(alice, "form.fill", `{"id":1,"sort":"","limit":"","since":"","tags":""}`)
	require.Equal(t, contract.StatusOK, r.Outcome.Status, r.Text)
	assert.Equal(t, formInput{ID: 1, Sort: "asc"}, got)
	var read []string
	for _, reading := range r.Outcome.Readings {
		assert.Equal(t, contract.EmptyAsAbsent, reading.As)
		read = append(read, reading.Pointer)
	}
	assert.Equal(t, []string{"/limit", "/since", "/sort", "/tags"}, read)
	for _, arguments := range []string{`{"id":""}`, `{"id":1,"note":""}`, `{"id":1,"gift":""}`, `{"id":1,"limit":" "}`, `{"id":1,"tags":[1]}`} {
		assert.Equal(t, contract.CodeInvalidInput, k.call(alice, "form.fill", arguments).Outcome.Code, arguments)
	}
	for _, member := range []string{"sort", "limit", "since", "tags"} {
		arguments := fmt.Sprintf(`{"id":1,%q:""}`, member)
		assert.Equal(t, contract.CodeInvalidInput, k.call(alice, "form.strict", arguments).Outcome.Code, arguments)
	}
}
