package contract_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

var (
	errLocked = contract.Retryable("note_locked", "Another writer has the note.")
	errTorn   = contract.Fatal("note_torn", "The note is torn.")
	errDisk   = errors.New("disk: sector 7")
)

func TestFailure_ReportsItsDeclaration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure    *contract.Failure
		code, text string
		class      contract.Class
	}{
		{errLocked, "note_locked", "Another writer has the note.", contract.ClassRetryable},
		{errTorn, "note_torn", "The note is torn.", contract.ClassFatal},
	} {
		assert.Equal(t, c.code, c.failure.Code())
		assert.Equal(t, c.class, c.failure.Class())
		assert.Equal(t, c.text, c.failure.Description())
		assert.EqualError(t, c.failure, c.code+": "+c.text)
	}
}

func TestFailure_IsFoundInItsErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"itself":               errLocked,
		"a text":               errLocked.Errorf("note %d", 7),
		"a cause":              errLocked.Wrap(errDisk),
		"a pointer":            errLocked.At("/text"),
		"a delay":              errLocked.After(time.Second),
		"a hint":               errLocked.Hint("Wait."),
		"a wrapped occurrence": fmt.Errorf("keep: %w", errLocked.Errorf("busy")),
		"a wrapped failure":    fmt.Errorf("keep: %w", errLocked),
		"one of several":       errors.Join(errDisk, errLocked.Errorf("busy")),
		"a failure of the tag": contract.Fatal("note_locked", "").Errorf("busy"),
		"its own variant":      errLocked.EffectPossible(),
		"what a variant made":  errLocked.EffectPossible().Errorf("busy"),
		"the cause of another": errTorn.Wrap(errLocked),
	} {
		assert.ErrorIs(t, err, errLocked, name)
		if name != "the cause of another" {
			assert.NotErrorIs(t, err, errTorn, name)
		}
	}
	for name, err := range map[string]error{
		"another failure":          errTorn,
		"another's occurrence":     errTorn.Errorf("in two"),
		"an error of another kind": errDisk,
		"a nil occurrence":         (*contract.Error)(nil),
		"a nil failure":            (*contract.Failure)(nil),
	} {
		assert.NotErrorIs(t, err, errLocked, name)
	}
	assert.NotErrorIs(t, errLocked.Errorf("x"), (*contract.Failure)(nil))
	assert.NotErrorIs(t, errLocked, (*contract.Failure)(nil))
}

func TestFailureErrorf_TakesTheOperandsOfWAsCause(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	one := errLocked.Errorf("sector: %w", errDisk)
	assert.EqualError(t, one, "note_locked: sector: disk: sector 7")
	assert.Equal(t, errDisk, one.Unwrap())
	two := errLocked.Errorf("%w and %w", errDisk, other)
	assert.ErrorIs(t, two, errDisk)
	assert.ErrorIs(t, two, other)
	none := errLocked.Errorf("%v", errDisk)
	assert.NoError(t, none.Unwrap(), "only %%w makes a cause")
	assert.NotErrorIs(t, none, errDisk)

	byCode := contract.Fatal("note_locked", "").Errorf("%w", errDisk)
	assert.ErrorIs(t, byCode, errDisk)
	assert.Equal(t, "note_locked", byCode.Code())
}

func TestFailureWrap_KeepsTheCauseFromTheText(t *testing.T) {
	t.Parallel()
	e := errLocked.Wrap(errDisk)
	assert.EqualError(t, e, "note_locked: Another writer has the note.")
	assert.Equal(t, errLocked.Description(), e.Message())
	assert.Equal(t, errDisk, errors.Unwrap(e))

	failure := errLocked.Errorf("note 7").Wrap(errDisk)
	assert.Equal(t, "note 7", failure.Message())
	assert.ErrorIs(t, failure, errDisk)
	assert.NoError(t, failure.Wrap(nil).Unwrap())
}

func TestError_MethodsReturnChangedCopies(t *testing.T) {
	t.Parallel()
	e := errLocked.Errorf("busy")
	_, _, _, _ = e.Wrap(errDisk), e.At("/text"), e.After(time.Second), e.Hint("Wait.")
	assert.NoError(t, e.Unwrap())
	assert.Empty(t, e.Pointer())
	assert.Zero(t, e.RetryAfter())
	assert.Empty(t, e.Advice())

	all := e.Wrap(errDisk).At("/text").After(time.Second).Hint("Wait.")
	assert.Equal(t, errDisk, all.Unwrap())
	assert.Equal(t, "/text", all.Pointer())
	assert.Equal(t, time.Second, all.RetryAfter())
	assert.Equal(t, "Wait.", all.Advice())
	assert.Equal(t, "busy", all.Message())
	assert.Zero(t, e.After(-time.Second).RetryAfter(), "less than no delay is none")

	possible := errLocked.EffectPossible()
	d := build(t, writing().Failures(errLocked)).Document()
	assert.False(t, d.FailureModes[0].EffectPossible, "the original is not changed")
	d = build(t, writing().Failures(possible)).Document()
	assert.True(t, d.FailureModes[0].EffectPossible)
}

func TestErrorsAs_FindsTheFirstDeclaredFailure(t *testing.T) {
	t.Parallel()
	occurrence := errLocked.Errorf("busy").At("/text")
	for _, c := range []struct {
		name, code, message string
		err                 error
	}{
		{"an occurrence is itself", "note_locked", "busy", occurrence},
		{"a failure is an occurrence of itself", "note_locked", "Another writer has the note.", errLocked},
		{"a wrapped one is found", "note_locked", "busy", fmt.Errorf("keep: %w", occurrence)},
		{"the outer of two is found", "note_torn", "The note is torn.", errTorn.Wrap(occurrence)},
		{"the first of a join is found, an occurrence", "note_locked", "busy", errors.Join(errDisk, occurrence, errTorn)},
		{"the first of a join is found, a failure", "note_torn", "The note is torn.", errors.Join(errTorn, occurrence)},
		{"a failure of the tag is found", "note_gone", "it is 7", contract.Fatal("note_gone", "").Errorf("it is %d", 7)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, ok := errors.AsType[*contract.Error](c.err)
			require.True(t, ok)
			assert.Equal(t, c.code, e.Code())
			assert.Equal(t, c.message, e.Message())
		})
	}
	for name, err := range map[string]error{
		"nil":                         nil,
		"an error of another kind":    errDisk,
		"a nil occurrence":            (*contract.Error)(nil),
		"a nil failure":               (*contract.Failure)(nil),
		"a wrapped nil occurrence":    fmt.Errorf("keep: %w", (*contract.Error)(nil)),
		"a wrapped nil failure":       fmt.Errorf("keep: %w", (*contract.Failure)(nil)),
		"the end of a context":        context.Canceled,
		"a mistake of an author's":    &contract.DeclarationError{},
		"a text that looks like them": errors.New("note_locked: busy"),
	} {
		e, _ := errors.AsType[*contract.Error](err)
		assert.Nil(t, e, name)
	}
}

func TestRun_ReturnsNoErrorForATypedNil(t *testing.T) {
	t.Parallel()
	run := func(failed error) error {
		b := complete(contract.New("notes.read", func(context.Context, noteInput) (noteOutput, error) {
			return noteOutput{},
				failed
		})).Effect(risk.ReadOnly)
		_, err := open(t, b).Run(t.Context(), &noteInput{})
		return err
	}
	for name, err := range map[string]error{"nil": nil, "a nil occurrence": (*contract.Error)(nil),
		"a nil failure": (*contract.Failure)(nil)} {
		assert.True(t, run(err) == nil, name) //nolint:testifylint // assert.NoError passes a typed nil
	}
	for name, err := range map[string]error{
		"an occurrence":     errLocked.Errorf("busy"),
		"a failure":         errLocked,
		"another error":     errDisk,
		"a wrapped nil":     fmt.Errorf("keep: %w", (*contract.Error)(nil)),
		"a nil of its own":  (*customError)(nil),
		"a join of nothing": errors.Join(nil, errDisk),
	} {
		assert.Equal(t, err, run(err), name)
	}
	assert.Equal(t, "<nil>", (*contract.Error)(nil).Error())
	assert.NoError(t, (*contract.Error)(nil).Unwrap())
}

type customError struct{}

func (*customError) Error() string { return "custom" }
