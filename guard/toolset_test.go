package guard_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

func TestWith_SharesConcurrencySlotsOnlyWithAnEqualContract(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	first := writer("pay.now", func(context.Context) error { close(entered); <-release; return nil }).MaxConcurrent(1).MustBuild()
	k := newKit(t, []*contract.Tool{first, writer("pay.later", nil).MustBuild()})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now"})
	}()
	<-entered
	ran := false
	again := func() *contract.Builder[empty, empty] {
		return writer("pay.now", func(context.Context) error { ran = true; return nil }).MaxConcurrent(1)
	}
	set, err := k.set.With(again().MustBuild())
	require.NoError(t, err)
	assert.Len(t, set.Tools(), 2)
	r, err := set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now"})
	require.NoError(t, err)
	refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
	assert.False(t, ran)

	set, err = set.With(again().Version("2.0.0").MustBuild())
	require.NoError(t, err)
	r, err = set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now"})
	require.NoError(t, err)
	assert.False(t, r.IsError)
	assert.True(t, ran)
	assert.Len(t, k.set.Tools(), 2, "the first toolset is unchanged")

	_, err = set.With(writer("pay.new", nil).Aliases("pay.later").MustBuild())
	require.NotEmpty(t, contract.DeclarationErrors(err))
	close(release)
	<-done
}

func TestWithout_ForgetsToolsAndTheirAliases(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{
		writer("pay.now", nil).Aliases("pay.at_once").MustBuild(), writer("pay.later", nil).Aliases("pay.delayed").MustBuild(),
	})
	set := k.set.Without("pay.now", "pay.never")
	for name, known := range map[string]bool{"pay.now": false, "pay.at_once": false, "pay.later": true, "pay.delayed": true} {
		_, err := set.Call(as(t.Context(), alice), guard.Request{Tool: name})
		assert.Equal(t, known, err == nil, name)
		_, err = k.set.Call(as(t.Context(), alice), guard.Request{Tool: name})
		require.NoError(t, err, "the first toolset is unchanged")
	}
	assert.Len(t, set.Tools(), 1)
	_, err := set.With(writer("pay.soon", nil).Aliases("pay.at_once").MustBuild())
	assert.NoError(t, err, "the alias is free")
}
