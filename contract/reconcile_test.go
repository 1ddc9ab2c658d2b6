package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// reconciling returns a contract whose repeated calls find out what a lost one
// did.
func reconciling(r contract.Reconciling) *noteBuilder {
	return writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}).Reconcile(findsOut, r)
}

func TestReconcile_NeedsAKeyThatStandsForOneEffect(t *testing.T) {
	t.Parallel()
	ask := contract.Reconciling{Quiet: 30 * time.Second}
	byTag := keyed().Idempotency(contract.Idempotency{Mode: idempotency.Managed}).Reconcile(
		func(context.Context, keyedInput, time.Time) (contract.Reconciled[noteOutput], error) {
			return contract.DidNotHappen[noteOutput](), nil
		}, ask)
	for name, b := range map[string]buildable{
		"a declared key field": reconciling(ask),
		"a tagged key field":   byTag,
		"a required client key": writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}).
			Reconcile(findsOut, ask),
	} {
		d := build(t, b).Document()
		assert.Equal(t, &ask, d.Reconcile, name)
		assert.Equal(t, &ask, d.Effective().Reconcile, name)
		assert.True(t, d.Hints().Idempotent, name)
		assert.True(t, bound.Of(build(t, b)).Facts().Has.Reconcile, name)
	}
	assert.False(t, bound.Of(build(t, writing())).Facts().Has.Reconcile)
}

func TestKeyRequired_TakesTheKeyOfTheClientAndMakesNone(t *testing.T) {
	t.Parallel()
	for _, mode := range []idempotency.Mode{idempotency.Managed, idempotency.Keyed} {
		i := build(t, writing().Idempotency(contract.Idempotency{Mode: mode, KeyRequired: true})).Document().Idempotency
		assert.Equal(t, &contract.Idempotency{
			Mode: mode, ClientKey: true, KeyRequired: true, Retention: 24 * time.Hour, OnUnknown: idempotency.Refuse,
		}, i)
		d := contract.Document{Idempotency: &contract.Idempotency{Mode: mode, KeyRequired: true}}
		assert.Equal(t, i, d.Effective().Idempotency, "another server may leave out what follows")
	}
}

// The unknown outcome of a call is worth a repetition, if the repetition asks.
func TestReconcile_MakesAnUnknownOutcomeRetryable(t *testing.T) {
	t.Parallel()
	byText := contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}
	without := build(t, writing().Idempotency(byText)).Document()
	with := build(t, reconciling(contract.Reconciling{})).Document()
	fatal, _ := modeOf(without, contract.CodeOutcomeUnknown)
	retryable, _ := modeOf(with, contract.CodeOutcomeUnknown)
	assert.Equal(t, contract.ClassFatal, fatal.Class)
	assert.Equal(t, contract.ClassRetryable, retryable.Class)
	assert.NotEqual(t, fatal.Description, retryable.Description)
	assert.Equal(t, codesOf(without), codesOf(with), "the code stands once, in the same place")
	for i, m := range with.FailureModes {
		if m.Code != contract.CodeOutcomeUnknown {
			assert.Equal(t, without.FailureModes[i], m)
		}
	}

	own := contract.Retryable(contract.CodeOutcomeUnknown, "The bank does not answer.").EffectPossible()
	declared, _ := modeOf(build(t, reconciling(contract.Reconciling{}).Failures(own)).Document(), contract.CodeOutcomeUnknown)
	assert.Equal(t, contract.ByTool, declared.By)
	assert.True(t, declared.EffectPossible)
}

func TestReconcile_AllowsRetryableOtherErrors(t *testing.T) {
	t.Parallel()
	d := build(t, reconciling(contract.Reconciling{}).OtherErrors(contract.ClassRetryable)).Document()
	m, ok := modeOf(d, contract.CodeToolRetry)
	assert.True(t, ok)
	assert.Equal(t, contract.ClassRetryable, m.Class)
}

func TestReconcile_DocumentHasItsQuietTimeInSeconds(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]contract.Reconciling{
		`{}`:                  {},
		`{"quietSeconds":90}`: {Quiet: 90 * time.Second},
	} {
		data, err := json.Marshal(build(t, reconciling(r)))
		require.NoError(t, err)
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(data, &members))
		assert.JSONEq(t, want, string(members["reconcile"]))

		var lenient contract.Document
		require.NoError(t, json.Unmarshal(data, &lenient))
		strict, err := contract.ParseDocument(data)
		require.NoError(t, err)
		assert.Equal(t, &r, lenient.Reconcile)
		assert.Equal(t, &r, strict.Reconcile)
	}
	const newer = `{"format":1,"name":"a.b","autonomous":false,"reconcile":{"quietSeconds":90,"later":1}}`
	var lenient contract.Document
	require.NoError(t, json.Unmarshal([]byte(newer), &lenient))
	assert.Equal(t, &contract.Reconciling{Quiet: 90 * time.Second}, lenient.Reconcile)
	_, err := contract.ParseDocument([]byte(newer))
	assert.Error(t, err, "a strict reader refuses a member that it does not know")
	for _, bad := range []string{`{"quietSeconds":1.5}`, `{"quietSeconds":"90"}`, `true`} {
		_, err := contract.ParseDocument([]byte(`{"format":1,"name":"a.b","autonomous":false,"reconcile":` + bad + `}`))
		assert.Error(t, err, bad)
	}
}

// A caller that has only the summary knows how long a repetition is safe, that
// it must send a key, and that a repetition finds out.
func TestSummary_SaysWhatARepetitionDoes(t *testing.T) {
	t.Parallel()
	type says struct {
		seconds     int64
		keyRequired bool
		reconcile   *contract.Reconciling
	}
	of := func(i contract.Idempotency) *noteBuilder { return writing().Idempotency(i) }
	day := int64(24 * 60 * 60)
	for name, c := range map[string]struct {
		builder *noteBuilder
		want    says
	}{
		"undeclared":     {writing(), says{}},
		"native":         {of(contract.Idempotency{Mode: idempotency.Native}), says{}},
		"all arguments":  {of(contract.Idempotency{Mode: idempotency.Managed}), says{seconds: 15 * 60}},
		"an own window":  {of(contract.Idempotency{Mode: idempotency.Managed, Retention: time.Hour}), says{seconds: 60 * 60}},
		"an allowed key": {of(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}), says{seconds: 15 * 60}},
		"key fields": {of(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}, Retention: time.Minute}),
			says{seconds: 60}},
		"an atomic tool": {of(contract.Idempotency{Mode: idempotency.Managed, Atomic: true, KeyFields: []string{"text"}}),
			says{seconds: day}},
		"a required key": {of(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}),
			says{seconds: day, keyRequired: true}},
		"a keyed tool": {of(contract.Idempotency{Mode: idempotency.Keyed}), says{}},
		"a keyed tool that requires its key": {of(contract.Idempotency{Mode: idempotency.Keyed, KeyRequired: true}),
			says{seconds: day, keyRequired: true}},
		"a tool that finds out": {reconciling(contract.Reconciling{Quiet: time.Minute}),
			says{seconds: day, reconcile: &contract.Reconciling{Quiet: time.Minute}}},
	} {
		s := build(t, c.builder).Document().Summary()
		assert.Equal(t, c.want, says{s.IdempotentForSeconds, s.KeyRequired, s.Reconcile}, name)
	}
	s := contract.Document{Idempotency: &contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"a"}}}.Summary()
	assert.Equal(t, day, s.IdempotentForSeconds, "another server may leave out the default")
	data, err := json.Marshal(build(t, reconciling(contract.Reconciling{})).Document().Summary())
	require.NoError(t, err)
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(data, &members))
	assert.JSONEq(t, `86400`, string(members["idempotentForSeconds"]))
	assert.JSONEq(t, `{}`, string(members["reconcile"]))
	assert.NotContains(t, members, "keyRequired")
}

// What the function answers reaches the guard, with copies of the arguments.
func TestReconcile_AnswersReachTheGuard(t *testing.T) {
	t.Parallel()
	since := time.Unix(1_700_000_000, 0)
	broken := errors.New("the bank is closed")
	for name, c := range map[string]struct {
		answer contract.Reconciled[noteOutput]
		err    error
		want   bound.Reconciled
	}{
		"happened": {contract.Happened(noteOutput{ID: "7"}), nil, bound.Reconciled{Verdict: bound.Happened, Out: noteOutput{ID: "7"}}},
		"cannot happen": {contract.CannotHappen[noteOutput](), nil,
			bound.Reconciled{Verdict: bound.CannotHappen, Out: noteOutput{}}},
		"did not happen": {contract.DidNotHappen[noteOutput](), nil,
			bound.Reconciled{Verdict: bound.DidNotHappen, Out: noteOutput{}}},
		"not known":   {contract.NotKnown[noteOutput](time.Minute), nil, bound.Reconciled{Out: noteOutput{}, After: time.Minute}},
		"the zero":    {contract.Reconciled[noteOutput]{}, nil, bound.Reconciled{Out: noteOutput{}}},
		"an error is": {contract.Reconciled[noteOutput]{}, broken, bound.Reconciled{Out: noteOutput{}}},
	} {
		tool := build(t, writing().Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true}).Reconcile(
			func(_ context.Context, in noteInput, at time.Time) (contract.Reconciled[noteOutput], error) {
				assert.Equal(t, "milk", in.Text)
				assert.Equal(t, since, at)
				return c.answer, c.err
			}, contract.Reconciling{}))
		got, err := bound.Of(tool).Reconcile(t.Context(), []byte(`{"text":"milk"}`), since)
		assert.ErrorIs(t, err, c.err, name)
		assert.Equal(t, c.want, got, name)
	}
}
