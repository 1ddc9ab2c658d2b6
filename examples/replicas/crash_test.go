package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/internal/exampleserver"
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

// crash runs a call and kills its server at a moment. It returns the settings
// for the next server.
func crash(t *testing.T, at moment, s settings) (settings, *warehouse) {
	t.Helper()
	ctx := exampletest.Patient(t)
	w, err := openWarehouse(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.close()) })
	s.Name, s.Store, s.Warehouse, s.Namespace = "before", redistest.Start(t), w.url, t.Name()
	s.SealingKey = bytes.Repeat([]byte{7}, 32)
	server, err := startServer(ctx, s)
	require.NoError(t, err)
	c := callerOf(t, ctx, server)
	reached := w.hold(order(0), at)
	ended := make(chan error, 1)
	go func() {
		_, _, err := place(ctx, c, order(0), quantity)
		ended <- err
	}()
	select {
	case e := <-reached:
		assert.Equal(t, "before", e.Server)
	case err := <-ended:
		require.FailNow(t, "the call ended before its effect", "%v", err)
	}
	require.NoError(t, server.kill())
	require.Error(t, <-ended)
	s.Name = "after"
	return s, w
}

// settled repeats the call until it is neither in progress nor to be repeated
// because the warehouse could not tell yet, and returns its outcome.
func settled(t *testing.T, c *client.Client) (contract.Outcome, placeOutput) {
	t.Helper()
	var last contract.Outcome
	var out placeOutput
	require.Eventually(t, func() bool {
		o, got, err := place(t.Context(), c, order(0), quantity)
		last, out = o, got
		return assert.NoError(t, err) && o.RetryAfterMs == 0
	}, 20*lease, lease/10)
	return last, out
}

// lookUp returns the state of the operation of a call.
func lookUp(t *testing.T, c *client.Client, o contract.Outcome) string {
	t.Helper()
	result, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{
		Name: "operations_get", Arguments: map[string]string{"operationId": o.OperationID},
	}})
	require.NoError(t, err)
	var found struct{ State string }
	require.NoError(t, reread(result.StructuredContent, &found))
	return found.State
}

func TestCrash_AfterTheEffectDoesNotRunTheCallAgain(t *testing.T) {
	t.Parallel()
	s, w := crash(t, placed, settings{})
	c := restart(t, s)
	for range 3 {
		o, _ := settled(t, c)
		assert.Equal(t, contract.StatusError, o.Status)
		assert.Equal(t, contract.CodeOutcomeUnknown, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
		assert.Equal(t, "unknown", lookUp(t, c, o))
	}
	assert.Len(t, w.all(), 1)
}

func TestCrash_AfterTheEffectRunsTheCallAgainIfTheContractDeclaresRerun(t *testing.T) {
	t.Parallel()
	s, w := crash(t, placed, settings{OnUnknown: idempotency.Rerun})
	c := restart(t, s)
	o, _ := settled(t, c)
	assert.Equal(t, contract.StatusOK, o.Status)
	for range 3 {
		o, _ := settled(t, c)
		assert.Equal(t, contract.StatusReplayed, o.Status)
	}
	effects := w.all()
	require.Len(t, effects, 2)
	assert.Equal(t, "before", effects[0].Server)
	assert.Equal(t, "after", effects[1].Server)
	assert.Len(t, effects[0].Key, 64)
	assert.Equal(t, effects[0].Key, effects[1].Key, "the warehouse can deduplicate by the key")
}

// The next server is on the other SDK. Both know the same calls.
func TestCrash_AfterTheEffectIsFoundAtTheWarehouse(t *testing.T) {
	t.Parallel()
	s, w := crash(t, placed, settings{AsksWarehouse: true, SDK: exampleserver.Official})
	s.SDK = exampleserver.MCPGo
	c := restart(t, s)
	for range 3 {
		o, out := settled(t, c)
		assert.Equal(t, contract.StatusReplayed, o.Status)
		assert.Equal(t, "succeeded", lookUp(t, c, o))
		effects := w.all()
		require.Len(t, effects, 1)
		assert.Equal(t, effects[0].output(), out)
		assert.Equal(t, "before", out.Server)
	}
}

// The request of the killed server arrives after the repeated call has placed
// the order. The warehouse refuses its key.
func TestCrash_BeforeTheEffectRunsTheCallWithAnotherKey(t *testing.T) {
	t.Parallel()
	s, w := crash(t, sent, settings{AsksWarehouse: true})
	s.SDK = exampleserver.Official
	c := restart(t, s)
	o, first := settled(t, c)
	assert.Equal(t, contract.StatusOK, o.Status)
	assert.Equal(t, "after", first.Server)
	assert.Equal(t, "succeeded", lookUp(t, c, o))
	w.arrive()
	assert.Equal(t, 1, w.refusals())
	o, again := settled(t, c)
	assert.Equal(t, contract.StatusReplayed, o.Status)
	assert.Equal(t, first, again)
	assert.Len(t, w.all(), 1)
}
