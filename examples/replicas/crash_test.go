package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampletest"
	"github.com/toolcontract/toolcontract/examples/internal/redistest"
	"github.com/toolcontract/toolcontract/idempotency"
)

// restart starts a server and connects a client to it. Both end with the test.
func restart(t *testing.T, s settings) *client.Client {
	t.Helper()
	ctx := exampletest.Patient(t)
	server, err := startServer(ctx, s)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, server.end()) })
	return callerOf(t, ctx, server)
}

func callerOf(t *testing.T, ctx context.Context, server *child) *client.Client {
	t.Helper()
	c, err := connect(ctx, server.url+"/mcp")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// crash runs a call and kills its server after the effect, before the outcome
// is recorded. It returns the settings for the next server.
func crash(t *testing.T, onUnknown idempotency.OnUnknown) (settings, *warehouse) {
	t.Helper()
	ctx := exampletest.Patient(t)
	w, err := openWarehouse(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.close()) })
	s := settings{
		Name: "before", Store: redistest.Start(t), Warehouse: w.url, Namespace: t.Name(),
		SealingKey: bytes.Repeat([]byte{7}, 32), OnUnknown: onUnknown,
	}
	server, err := startServer(ctx, s)
	require.NoError(t, err)
	c := callerOf(t, ctx, server)
	reached := w.hold(order(0))
	answered := make(chan error, 1)
	go func() {
		_, err := place(ctx, c, order(0), quantity)
		answered <- err
	}()
	select {
	case e := <-reached:
		assert.Equal(t, "before", e.Server)
	case err := <-answered:
		require.FailNow(t, "the call ended before its effect", "%v", err)
	}
	require.NoError(t, server.kill())
	require.Error(t, <-answered)
	s.Name = "after"
	return s, w
}

// settled repeats the call until it is no longer in progress, and returns its
// outcome.
func settled(t *testing.T, c *client.Client) contract.Outcome {
	t.Helper()
	var last contract.Outcome
	require.Eventually(t, func() bool {
		o, err := place(t.Context(), c, order(0), quantity)
		last = o
		return assert.NoError(t, err) && o.Code != contract.CodeKeyInProgress
	}, 20*lease, lease/10)
	return last
}

func TestCrash_AfterTheEffectDoesNotRunTheCallAgain(t *testing.T) {
	t.Parallel()
	s, w := crash(t, 0)
	c := restart(t, s)
	for range 3 {
		o := settled(t, c)
		assert.Equal(t, contract.StatusError, o.Status)
		assert.Equal(t, contract.CodeOutcomeUnknown, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
	}
	assert.Len(t, w.all(), 1)
}

func TestCrash_AfterTheEffectRunsTheCallAgainIfTheContractDeclaresRerun(t *testing.T) {
	t.Parallel()
	s, w := crash(t, idempotency.Rerun)
	c := restart(t, s)
	assert.Equal(t, contract.StatusOK, settled(t, c).Status)
	for range 3 {
		assert.Equal(t, contract.StatusReplayed, settled(t, c).Status)
	}
	effects := w.all()
	require.Len(t, effects, 2)
	assert.Equal(t, "before", effects[0].Server)
	assert.Equal(t, "after", effects[1].Server)
	assert.Len(t, effects[0].Key, 64)
	assert.Equal(t, effects[0].Key, effects[1].Key, "the warehouse can deduplicate by the key")
}
