package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

var errDown = errors.New("metrics are down")

func failing(err error) audit.Sink {
	return audit.Func(func(context.Context, audit.Event) error { return err })
}

func TestTee_WritesToAllAndJoinsTheErrors(t *testing.T) {
	t.Parallel()
	other := errors.New("the disk is full")
	var first, last audit.Recorder
	sink := audit.Tee(&first, failing(errDown), audit.Func(func(context.Context, audit.Event) error { panic("boom") }),
		nil, failing(other), &last)
	err := sink.Write(t.Context(), audit.Event{CallID: "a"})
	require.ErrorIs(t, err, errDown)
	require.ErrorIs(t, err, other)
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 4)
	for _, r := range []*audit.Recorder{&first, &last} {
		require.Len(t, r.Events(), 1)
		assert.Equal(t, "a", r.Events()[0].CallID)
	}
	require.NoError(t, audit.Tee(&first, &last).Write(t.Context(), audit.Event{}))
}

func TestTee_WithoutSinksFails(t *testing.T) {
	t.Parallel()
	require.Error(t, audit.Tee().Write(t.Context(), audit.Event{}))
}

func TestOptional_ReportsAndNeverFails(t *testing.T) {
	t.Parallel()
	var kept audit.Recorder
	var reported []string
	report := func(e audit.Event, err error) {
		require.Error(t, err)
		reported = append(reported, e.CallID)
	}
	for _, s := range []audit.Sink{failing(errDown), nil, audit.Func(func(context.Context, audit.Event) error { panic("boom") })} {
		require.NoError(t, audit.Tee(audit.Optional(s, report), &kept).Write(t.Context(), audit.Event{CallID: "a"}))
	}
	assert.Equal(t, []string{"a", "a", "a"}, reported)
	assert.Len(t, kept.Events(), 3)
	require.NoError(t, audit.Optional(failing(errDown), nil).Write(t.Context(), audit.Event{}))
}
